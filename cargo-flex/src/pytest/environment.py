"""The packages of a project, and where Python finds them: printed as JSON. Arguments: the folder of the project, names."""

import importlib.metadata
import importlib.util
import json
import os
import sys
import urllib.parse
import urllib.request

COMPILED = (".so", ".pyd", ".dylib")
BUILT_BACKENDS = ("mesonpy", "scikit_build_core.build", "maturin")
"""Backends whose editable installs keep what is compiled outside of the project."""


def main():
    top, names = os.path.realpath(sys.argv[1]), sys.argv[2:]
    installed = installed_from(top)
    if not names:
        names = sorted(set(installed) | set(in_project(top)))
    packages = []
    for name in names:
        place = place_of(name)
        if place is None:
            continue
        is_here = within(place, top)
        if is_here or name in installed or sys.argv[2:]:
            packages.append(
                {
                    "name": name,
                    "place": place,
                    "is_here": is_here,
                    "is_compiled": is_compiled(place) or (is_here and is_built_elsewhere(top)),
                }
            )
    json.dump({"executable": sys.executable, "packages": packages}, sys.stdout)


def within(path, folder):
    """Whether a path is in a folder, and not in an environment that lies there."""
    path, prefix = os.path.realpath(path), os.path.realpath(sys.prefix)
    is_inside = path == folder or path.startswith(folder + os.sep)
    is_installed = path.startswith(prefix + os.sep) and prefix != os.path.realpath(sys.base_prefix)
    return is_inside and not is_installed and not is_hidden(os.path.relpath(path, folder))


def is_hidden(path):
    return any(part.startswith(".") and part not in (".", "..") for part in path.split(os.sep))


def place_of(name):
    """The folder or file of a package, without importing it."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return None
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return os.path.realpath(next(iter(spec.submodule_search_locations)))
    return os.path.realpath(spec.origin) if spec.has_location else None


def installed_from(top):
    """The names that distributions of this project bring."""
    project, names = project_name(top), set()
    for distribution in importlib.metadata.distributions():
        url = json.loads(distribution.read_text("direct_url.json") or "{}").get("url", "")
        path = urllib.request.url2pathname(urllib.parse.urlparse(url).path) if url.startswith("file:") else ""
        is_local = bool(path) and within(path, top)
        if is_local or (project and normal(distribution.metadata["Name"] or "") == project):
            names.update((distribution.read_text("top_level.txt") or "").split())
            for file in distribution.files or []:
                first = file.parts[0]
                if len(file.parts) > 1 and "." not in first and first.isidentifier() and first != "__pycache__":
                    names.add(first)
    return names


def in_project(top):
    """The names of packages that lie in the project where packages usually do, or on the path."""
    names = set()
    folders = [os.path.join(top, folder) for folder in ("", "src", "lib", "python")]
    for folder in {*folders, *(path for path in sys.path if path and within(path, top))}:
        if os.path.isdir(folder):
            for name in os.listdir(folder):
                if name.isidentifier() and os.path.exists(os.path.join(folder, name, "__init__.py")):
                    names.add(name)
    for path in sys.path:
        if path and within(path, top):
            names.update(name[:-3] for name in os.listdir(path) if name.endswith(".py") and name[:-3].isidentifier())
    return names - {"conftest", "setup"}


def project_name(top):
    return normal(str(project_table(top).get("project", {}).get("name", "")))


def normal(name):
    return name.lower().replace("_", "-").replace(".", "-")


def project_table(top):
    try:
        import tomllib
    except ImportError:
        return {}
    try:
        with open(os.path.join(top, "pyproject.toml"), "rb") as file:
            return tomllib.load(file)
    except (OSError, ValueError):
        return {}


def is_built_elsewhere(top):
    return project_table(top).get("build-system", {}).get("build-backend") in BUILT_BACKENDS


def is_compiled(place):
    """Whether a package has modules that are compiled."""
    if os.path.isfile(place):
        return place.endswith(COMPILED)
    return any(name.endswith(COMPILED) for _, _, files in os.walk(place) for name in files)


main()
