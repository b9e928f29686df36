# SPDX-License-Identifier: BSD-2-Clause
"""labgrid's part of a run: power on, keep the serial line's bytes until the run's end, power off.

Python is here as the language in which labgrid takes strategies. The bytes go to a file as they come,
and `tare decode` judges them; nothing is measured here.

    labgrid-client -c labgrid-environment.yaml ...
    strategy.transition("measured")
"""
import enum

import attr
from labgrid.factory import target_factory
from labgrid.strategy import Strategy, StrategyError


class Status(enum.Enum):
    unknown = 0
    off = 1
    measured = 2


@target_factory.reg_driver
@attr.s(eq=False)
class TareStrategy(Strategy):
    """Has states off and measured."""

    bindings = {"power": "PowerProtocol", "console": "ConsoleProtocol"}

    log = attr.ib(default="serial.log", validator=attr.validators.instance_of(str))
    end = attr.ib(default=r"<LAVA_SIGNAL_ENDRUN tare 0>[\s\S]*#\]\r\n",
                  validator=attr.validators.instance_of(str))
    seconds = attr.ib(default=600, validator=attr.validators.instance_of(int))
    status = attr.ib(default=Status.unknown)

    def _measure(self):
        self.target.activate(self.power)
        self.target.activate(self.console)
        self.power.cycle()
        _, before, match, _ = self.console.expect(self.end, timeout=self.seconds)
        with open(self.log, "wb") as log:
            log.write(before + match.group())

    def transition(self, status):
        """To one of Status, or its name."""
        wanted = status if isinstance(status, Status) else Status[status]
        if wanted == Status.unknown:
            raise StrategyError("a machine cannot be brought to an unknown state")
        if wanted == Status.measured and self.status != wanted:
            self._measure()
        if wanted == Status.off:
            self.target.activate(self.power)
            self.power.off()
        self.status = wanted
