def native_level() -> int:
    """The level that a core tuned for the machine it was built on needs; 0 if there is none."""

def x86_64_level() -> int:
    """The level of x86-64 that processor and system can run: 1, 3 (AVX2) or 4 (AVX-512); 0 on others."""
