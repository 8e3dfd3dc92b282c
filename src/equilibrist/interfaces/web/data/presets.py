"""Ranges to start from: kinds of hands, and rough ranges of common situations at a table of six, written down by hand."""

from __future__ import annotations

from equilibrist.interfaces.web.models.spots import PresetItem

_KINDS = (
    ("every hand", "random"),
    ("pairs", "22+"),
    ("broadways", "AT+,KT+,QT+,JT"),
    ("suited aces", "A2s+"),
    ("suited connectors", "JTs,T9s,98s,87s,76s,65s,54s"),
)
_ROUGH = (
    ("early position opens", "22+,ATs+,A5s-A4s,KTs+,QTs+,JTs,T9s,98s,AJo+,KQo"),
    ("cutoff opens", "22+,A2s+,K8s+,Q9s+,J9s+,T8s+,97s+,87s,76s,65s,ATo+,KTo+,QJo"),
    (
        "button opens",
        "22+,A2s+,K2s+,Q5s+,J7s+,T7s+,96s+,86s+,75s+,64s+,54s,A4o+,K9o+,Q9o+,J9o+,T9o",
    ),
    (
        "big blind calls the button",
        "22-99,A2s-ATs,K2s-KJs,Q4s-QJs,J6s-JTs,T6s+,96s+,85s+,75s+,64s+,53s+,A2o-AJo,K8o-KQo,Q9o+,J9o+,T9o,98o",
    ),
    ("three-bet", "TT+,AJs+,A5s-A4s,KQs,AQo+"),
    ("calls a three-bet", "66-JJ,ATs-AQs,KTs-KQs,QTs+,JTs,T9s,98s,AQo"),
)
_EXAMPLE = (
    ("single-raised pot, out of position", "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"),
    ("single-raised pot, in position", "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"),
)

PRESETS = [
    *(PresetItem(group="Example", name=name, text=text) for name, text in _EXAMPLE),
    *(PresetItem(group="Kinds of hands", name=name, text=text) for name, text in _KINDS),
    *(PresetItem(group="Rough ranges, six players", name=name, text=text) for name, text in _ROUGH),
]
