# SPDX-License-Identifier: GPL-2.0
"""What an administrator asks for: functions State -> State, for Controller.step()."""
import dataclasses


def gear(number):
    """Stay in a gear; None: choose it by the load."""
    return lambda state: dataclasses.replace(state, gear=number)


def hold(how):
    """"awake": all groups; "freeze": no shift by the load or on request."""
    return lambda state: dataclasses.replace(state, hold=how)


def resume():
    """End a hold; groups with settings that somebody else changed take part again, with these as theirs."""
    return lambda state: dataclasses.replace(state, hold=None, left=())
