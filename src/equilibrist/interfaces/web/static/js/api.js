// The API of the server; every refusal is an Error whose message is the server's sentence.

const BASE = "/api/v1";

export class Refusal extends Error {
  constructor(status, message) { super(message); this.status = status; }
}

async function call(method, path, body) {
  let answer;
  try {
    answer = await fetch(BASE + path, {
      method,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Refusal(0, "The server does not answer; is it still running?");
  }
  if (answer.status === 204) return null;
  const text = await answer.text();
  let found;
  try { found = JSON.parse(text); } catch { found = { message: text }; }
  if (!answer.ok) throw new Refusal(answer.status, found.message ?? `The server answered ${answer.status}.`);
  return found;
}

export const get = (path, asked = {}) => {
  const kept = Object.entries(asked).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return call("GET", path + (kept.length ? `?${new URLSearchParams(kept)}` : ""));
};
export const post = (path, body = {}) => call("POST", path, body);
export const patch = (path, body) => call("PATCH", path, body);
export const remove = (path) => call("DELETE", path);

// Jobs as they change; one stream for a page, shared by whoever listens.
const listeners = new Set();
const jobs = new Map();
let stream = null;

export function watchJobs(listener) {
  listeners.add(listener);
  if (!stream) {
    stream = new EventSource(`${BASE}/jobs/events`);
    stream.addEventListener("jobs", (event) => {
      const { changed, ids } = JSON.parse(event.data);
      for (const job of changed) jobs.set(job.id, job);
      for (const id of jobs.keys()) if (!ids.includes(id)) jobs.delete(id);
      tell();
    });
  } else if (jobs.size) listener(sorted());
  return () => {
    listeners.delete(listener);
    if (!listeners.size && stream) { stream.close(); stream = null; jobs.clear(); }
  };
}
const sorted = () => [...jobs.values()].sort((a, b) => b.created - a.created);
const tell = () => { for (const listener of listeners) listener(sorted()); };
