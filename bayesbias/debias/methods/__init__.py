"""The debiasing methods, one class in one file each; every file in this folder is loaded."""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
