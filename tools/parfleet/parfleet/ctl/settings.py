# SPDX-License-Identifier: GPL-2.0
"""The configuration file: an INI file with the sections [parfleet], [speed] and [price], all optional."""
import configparser
import dataclasses

from ..core.load import Speed
from ..core.model import Options

MODES = "observe", "advise", "auto"
PATH = "/etc/parfleet/parfleet.conf"


@dataclasses.dataclass(frozen=True)
class Price:
    """For `parfleet plan`: watts of a disk that is awake and asleep, of a server without disks, and of a kWh."""
    disk_awake: float = 5.2
    disk_asleep: float = 1.0
    server: float = 200.0
    kwh: float = 0.30


@dataclasses.dataclass(frozen=True)
class Settings:
    mode: str = "observe"
    interval: float = 10.0      # seconds between two looks at the cluster; 2 while groups shift
    metrics: str = ""           # file for node_exporter's textfile collector; none by default
    options: Options = Options()
    speed: Speed = Speed()
    price: Price = Price()


class BadSettings(ValueError):
    """The file cannot be used; the text names file, key and what is right."""


def number(path, section, key, text, whole):
    """A number above 0, or whole from 1 on."""
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        value = None
    if value is None or not 0 < value < float("inf"):
        raise BadSettings(f"{path}: [{section}] {key} = {text}: need a{' whole' if whole else ''} number above 0")
    return value


def section(parser, path, name, default, fields):
    """`default` with the values of a section; only the names in `fields` may be there."""
    changes = {}
    for key, text in parser[name].items() if parser.has_section(name) else ():
        if key not in fields:
            raise BadSettings(f"{path}: [{name}] has no {key}: there are {', '.join(sorted(fields))}")
        changes[key] = number(path, name, key, text, isinstance(getattr(default, key), int))
    return default._replace(**changes) if isinstance(default, Speed) else dataclasses.replace(default, **changes)


def load(path):
    """Settings. Without a file at PATH, the defaults. Raises BadSettings."""
    parser = configparser.ConfigParser(interpolation=None)
    try:
        with open(path, encoding="utf-8") as file:
            parser.read_file(file)
    except FileNotFoundError:
        if path != PATH:
            raise BadSettings(f"{path}: no such file") from None
        return Settings()
    except (OSError, UnicodeDecodeError, configparser.Error) as error:
        raise BadSettings(f"{path}: {' '.join(str(error).split())}") from None
    unknown = set(parser.sections()) - {"parfleet", "speed", "price"}
    if unknown:
        raise BadSettings(f"{path}: no section [{min(unknown)}]: there are [parfleet], [speed], [price]")
    own = {key: parser["parfleet"].pop(key) for key in ("mode", "metrics", "interval")
           if parser.has_section("parfleet") and key in parser["parfleet"]}
    if own.get("mode", "observe") not in MODES:
        raise BadSettings(f"{path}: mode = {own['mode']}: need {', '.join(MODES)}")
    if "interval" in own:
        own["interval"] = number(path, "parfleet", "interval", own["interval"], False)
    return Settings(**own, options=section(parser, path, "parfleet", Options(),
                                           {f.name for f in dataclasses.fields(Options)}),
                    speed=section(parser, path, "speed", Speed(), Speed._fields),
                    price=section(parser, path, "price", Price(), {f.name for f in dataclasses.fields(Price)}))
