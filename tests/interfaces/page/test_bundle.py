from __future__ import annotations

import shutil
import subprocess

import pytest

from outflank.interfaces.page.bundle import bundled

MODULES = {
    "a.js": 'import { twice as double, Box } from "./deep/b.js";\nimport * as c from "./c.js";\n'
    "console.log(double(c.one), new Box().name, c.later());",
    "deep/b.js": 'import {\n  one,\n} from "../c.js";\nexport const twice = (x) => 2 * x * one;\n'
    "export class Box {\n  name = 'box';\n}",
    "c.js": "export const one = 1;\nexport async function* later() {}\nexport let two = 2;",
}


def test_modules_run_as_one_script() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    text = bundled("a.js", MODULES.__getitem__)
    done = subprocess.run([node, "-e", text], capture_output=True, text=True, check=True)
    assert done.stdout == "2 box Object [AsyncGenerator] {}\n"


def test_each_module_is_there_once() -> None:
    assert bundled("a.js", MODULES.__getitem__).count("const one = 1;") == 1


@pytest.mark.parametrize(
    "statement",
    ['import thing from "./c.js";', 'export { one } from "./c.js";', "export default 1;", 'import "./c.js";'],
)
def test_other_statements_are_refused(statement: str) -> None:
    with pytest.raises(ValueError, match="cannot be bundled"):
        bundled("a.js", {"a.js": statement, "c.js": "export const one = 1;"}.__getitem__)


def test_circles_are_refused() -> None:
    modules = {"a.js": 'import { b } from "./b.js";', "b.js": 'import { a } from "./a.js";'}
    with pytest.raises(ValueError, match="in a circle"):
        bundled("a.js", modules.__getitem__)
