"""The core: an extension module in C++, of which an installation may hold several variants.

Importing this module gives the one that core_variants picks; `_core.pyi` has its names.
"""

import sys

from outflank.core_variants import load

sys.modules[__name__] = load(__name__)
