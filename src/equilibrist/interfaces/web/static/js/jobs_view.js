// Jobs as cards: status, progress, curve, and what can be done.

import { post, remove, watchJobs } from "./api.js";
import { curveChart } from "./chart.js";
import { cards, duration, h, number, replace, say } from "./dom.js";

const WORDS = { queued: "waiting", running: "running", done: "done", stopped: "stopped", interrupted: "interrupted", failed: "failed" };

// `started` is a job that was just asked for: it may be done before it is first heard of
export function jobsPanel({ only = null, finished, changed, started = null } = {}) {
  const list = h("div", { id: "jobs" });
  const seen = new Map(started ? [[started.id, started.status]] : []);
  const draw = (jobs) => {
    const wanted = jobs.filter((job) => !only || only(job)).slice(0, 12);
    replace(list, interruptedBar(wanted), wanted.length ? wanted.map(jobCard) : h("p", { class: "hint" }, "Nothing has been solved yet."));
    for (const job of wanted) changed?.(job);
    for (const job of jobs) {
      if (["queued", "running"].includes(seen.get(job.id)) && job.status === "done") finished?.(job);
      seen.set(job.id, job.status);
    }
  };
  const stop = watchJobs(draw);
  return { element: list, stop };
}

// after a stop of the server: all that it interrupted, by one click
function interruptedBar(jobs) {
  const count = jobs.filter((job) => job.status === "interrupted").length;
  if (!count) return null;
  return h("p", { class: "warn", id: "interrupted" }, `${count === 1 ? "One job was" : `${count} jobs were`} interrupted when the server stopped. `,
    h("button", { type: "button", onclick: () => act(() => post("/jobs/resume")) }, count === 1 ? "Go on" : "Go on with all of them"));
}

export function jobCard(job) {
  const active = job.status === "running" || job.status === "queued";
  const goal = job.until ? (job.until.includes("%") ? parseFloat(job.until) : (100 * parseFloat(job.until)) / job.pot) : null;
  const curve = job.curve.map((point) => ({ iteration: point.iteration, exploitability: (100 * point.exploitability) / job.pot }));
  return h("article", { class: "job", "data-job": job.id, "data-status": job.status },
    h("div", { class: "row spread" },
      h("span", {}, cards(job.board), " ", h("b", {}, job.name)),
      h("span", { class: "status" }, WORDS[job.status])),
    job.status === "running" ? h("progress", { max: 1, value: job.fraction ?? undefined, "aria-label": "Progress of the solve" }) : null,
    h("p", { class: "hint" }, jobFacts(job).join(" · ")),
    job.message ? h("p", { class: job.status === "failed" ? "problem" : "hint" }, job.message) : null,
    active && curve.length > 1 ? [curveChart(curve, { goal, unit: " % of the pot" }), h("p", { class: "hint" }, "Exploitability in % of the pot against iterations; dashed: the goal.")] : null,
    jobButtons(job, active));
}

function jobFacts(job) {
  const facts = [`iteration ${job.iteration.toLocaleString("en")}`, duration(job.elapsed)];
  if (job.percent_of_pot !== null) facts.push(`exploitability ${number(job.percent_of_pot, 3)} % of the pot`);
  if (job.status === "running" && job.seconds_left !== null && job.iteration >= 10) facts.push(`${duration(job.seconds_left)} left`);
  return facts;
}

function jobButtons(job, active) {
  const dial = job.kind === "dial";
  const further = () => post(`/jobs/${job.id}/resume`, { until: `${(job.percent_of_pot / 3).toPrecision(2)}%` });
  return h("div", { class: "row" },
    dial ? h("a", { href: `/exploit/${job.id}` }, "Gain and risk") : job.saved ? h("a", { href: `/study/${job.id}` }, job.status === "running" ? "Look at it so far" : "Study") : null,
    active ? h("button", { type: "button", onclick: () => act(() => post(`/jobs/${job.id}/cancel`)) }, job.status === "queued" ? "Take back" : "Stop") : null,
    !active && job.status !== "done" ? h("button", { type: "button", onclick: () => act(() => post(`/jobs/${job.id}/resume`)) }, "Resume") : null,
    !dial && job.status === "done" && job.percent_of_pot > 0.01 ? h("button", { type: "button", title: "Solve on to a third of this exploitability", onclick: () => act(further) }, "Solve further") : null,
    !active ? h("button", { type: "button", class: "quiet", title: dial ? "The responses stay" : "The solution stays in the library", onclick: () => act(() => remove(`/jobs/${job.id}`)) }, "Clear") : null);
}

async function act(work) {
  try { await work(); } catch (error) { say(error.message); }
}
