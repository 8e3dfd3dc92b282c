"""The browser: a JSON API (`/api/v1`) and a page that uses nothing else.

Enters: HTTP. Leaves: JSON, progress as server-sent events, and the files of `static/`. Start with `app.py` (what is put together),
then `routes/` (one file per resource); `jobs/` runs solves, `data/` keeps and opens solutions, `guards.py` refuses what must not come in.
The package is imported by `equilibrist serve` alone, since it needs the extra `web`.
"""
