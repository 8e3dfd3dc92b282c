"""Engines: vector CFR below a gadget on public trees, on the boards of spots, on streamed boards, and by sampling."""
