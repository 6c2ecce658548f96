// The lab: learning runs and their curves, live. Selected runs and axes are in the address.

import { svg } from "./svg.js";
import { CurveChart, mark, place, STYLES } from "./curves.js";
import { experiments, meanCurve, sharedName } from "./seed_means.js";

const LIST_EVERY = 10_000; // milliseconds between polls for the list of runs
const MOST_STREAMS = 2; // a browser opens six connections per server for all its pages; other runs are polled
const page = (id) => document.getElementById(id);
const number = (value) => Number(value.toPrecision(6)).toLocaleString("en");

const lab = {
  runs: new Map(), // by name, as the server lists them
  chosen: [], // names, in the order in which they were chosen
  logs: new Map(), // measurements by name
  streams: new Map(),
  order: [], // of the rows: a run keeps its place while it learns
  by: "games", isLog: false, isMean: false,
};
const chart = new CurveChart(page("chart"), (text) => { page("reading").textContent = text; });

// The server.

async function fetched(path) {
  const response = await fetch(path);
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error ?? `the server responded ${response.status}`);
  return answer;
}

const pathOf = (name) => `/api/v1/runs/${name.split("/").map(encodeURIComponent).join("/")}`;

async function list() {
  try {
    const found = await fetched("/api/v1/runs");
    lab.runs = new Map(found.map((run) => [run.name, run]));
    tell("");
  } catch (error) {
    tell(`The runs cannot be listed: ${error.message}.`);
  }
  await Promise.all(lab.chosen.filter((name) => !lab.streams.has(name)).map(readLog));
  follow();
  show();
}

async function readLog(name) {
  const known = lab.logs.get(name), run = lab.runs.get(name);
  if (!run || (known && run.state !== "learning" && known.length && known.at(-1).games === run.last?.games)) return;
  try {
    const answer = await fetched(`${pathOf(name)}/log`);
    lab.logs.set(name, answer.measurements);
    lab.runs.set(name, answer.run);
  } catch (error) {
    tell(`${name} cannot be read: ${error.message}.`);
  }
}

/** Follows selected runs that are learning, while the page is visible. */
function follow() {
  const isLive = (name) => lab.runs.get(name)?.state === "learning" || lab.streams.has(name); // until its stream ends
  const live = lab.chosen.filter(isLive).slice(-MOST_STREAMS);
  const wanted = new Set(document.hidden ? [] : live);
  for (const [name, stream] of lab.streams) {
    if (!wanted.has(name)) {
      stream.close();
      lab.streams.delete(name);
    }
  }
  for (const name of wanted) if (!lab.streams.has(name)) lab.streams.set(name, listen(name));
}

function listen(name) {
  const stream = new EventSource(`${pathOf(name)}/events`);
  const on = (kind, take) => stream.addEventListener(kind, (event) => {
    take(JSON.parse(event.data));
    show();
  });
  on("log", ({ run, measurements }) => {
    lab.runs.set(name, run);
    lab.logs.set(name, measurements);
  });
  on("measured", (point) => {
    lab.logs.get(name).push(point);
    lab.runs.get(name).last = point;
  });
  on("run", (run) => lab.runs.set(name, run));
  const leave = () => {
    stream.close();
    lab.streams.delete(name);
  };
  on("end", leave);
  stream.addEventListener("error", () => { if (stream.readyState === EventSource.CLOSED) leave(); });
  return stream;
}

// Display.

function show() {
  showList();
  const runs = lab.chosen.filter((name) => lab.runs.has(name)).map((name) => lab.runs.get(name));
  const groups = experiments(runs), hasSeeds = groups.some((group) => group.length > 1);
  const curves = (lab.isMean && hasSeeds ? groups.map(meanOf) : runs.map(({ name }) => ({ name, points: lab.logs.get(name) ?? [] })))
    .map((curve, i) => ({ ...curve, style: i % STYLES }));
  const missing = curves.filter((curve) => !curve.points.some((point) => place(point, lab.by) !== null));
  const isEmpty = curves.length === missing.length;
  page("nothing").textContent = !lab.runs.size ? "There is no run in this folder yet. Start one with outflank learn."
    : !curves.length ? "Choose runs in the table to see their curves."
    : missing.length ? nothingToDraw(missing) : "";
  page("curves").hidden = !lab.runs.size;
  for (const id of ["chart", "reading", "legend", "about-bands"]) page(id).hidden = isEmpty;
  page("mean-field").hidden = !hasSeeds;
  page("about-bands").textContent = `${lab.isMean && hasSeeds ? "Bands of several seeds are 95 % intervals of their mean; of two or three seeds, from the lowest to the highest."
    : "Bands are 95 % intervals of each measurement."} Point at a curve, or move along it with the arrow keys, to read its values.`;
  chart.show(curves, lab.by, lab.isLog);
  showLegend(curves);
}

/** Several seeds of one experiment as one curve; a single run as it is. */
function meanOf(group) {
  const logs = group.map(({ name }) => lab.logs.get(name) ?? []), names = group.map(({ name }) => name);
  if (group.length === 1) return { name: names[0], points: logs[0] };
  return { name: `${sharedName(names)} (mean of ${group.length} seeds)`, points: meanCurve(logs, (point) => place(point, lab.by)), runs: group };
}

function nothingToDraw(missing) {
  const names = missing.map((curve) => curve.name).join(", ");
  if (lab.by === "generations") return `Runs that learn by temporal differences have no generations: ${names}. Choose games or time.`;
  return `Nothing to draw by ${lab.by} yet: ${names}.`;
}

function showLegend(curves) {
  page("legend").replaceChildren(...curves.map(({ name, style, points, runs }) => {
    const item = document.createElement("li"), sample = svg("svg", { width: 44, height: 14, "aria-hidden": "true" });
    sample.append(svg("path", { d: "M1 7H43", class: `line style-${style}` }), mark(style, 22, 7));
    const isLearning = (runs ?? [lab.runs.get(name)]).some((run) => run.state === "learning"), last = points.at(-1);
    item.append(sample, ` ${name}: ${last ? last.score.toFixed(4) : "not measured yet"}`, isLearning ? ", learning" : "");
    return item;
  }));
}

function showList() {
  const body = page("runs");
  const rows = new Map([...body.children].map((row) => [row.dataset.run, row]));
  const fresh = [...lab.runs.values()].filter(({ name }) => !lab.order.includes(name))
    .sort((a, b) => (b.state === "learning") - (a.state === "learning") || b.changed - a.changed || a.name.localeCompare(b.name, "en", { numeric: true }));
  lab.order = [...fresh.map(({ name }) => name), ...lab.order.filter((name) => lab.runs.has(name))]; // new runs come first, others stay
  const ordered = lab.order.map((name) => lab.runs.get(name));
  for (const [name, row] of rows) if (!lab.runs.has(name)) row.remove();
  ordered.forEach((run, i) => {
    const row = updated(rows.get(run.name) ?? newRow(run.name), run);
    if (body.children[i] !== row) body.insertBefore(row, body.children[i] ?? null); // a row that moves loses the focus
  });
  page("list").hidden = !lab.runs.size;
}

function newRow(name) {
  const row = document.createElement("tr"), first = document.createElement("th"), label = document.createElement("label");
  const box = Object.assign(document.createElement("input"), { type: "checkbox" });
  row.dataset.run = name;
  first.scope = "row";
  box.addEventListener("change", () => choose(name, box.checked));
  label.append(box, ` ${name}`);
  first.append(label);
  row.append(first, ...["", "number", "number", "", "number", "settings", "play"].map((kind) => {
    const cell = document.createElement("td");
    if (kind) cell.className = kind;
    return cell;
  }));
  const more = document.createElement("details"), what = document.createElement("summary"), text = document.createElement("pre");
  what.textContent = "Settings";
  what.setAttribute("aria-label", `Settings of ${name}`);
  more.append(what, text);
  row.querySelector(".settings").append(more);
  const play = Object.assign(document.createElement("a"), { href: `/play?run=${encodeURIComponent(name)}`, textContent: "Play this run" });
  play.setAttribute("aria-label", `Play ${name}`);
  row.lastChild.append(play);
  row.children[1].append(document.createElement("span"));
  return row;
}

function updated(row, run) {
  row.querySelector("input").checked = lab.chosen.includes(run.name);
  const [state, score, done, method, seed, settings, play] = row.querySelectorAll("td");
  play.firstChild.hidden = !run.has_player;
  const write = (cell, text) => { if (cell.textContent !== text) cell.textContent = text; };
  write(state.firstChild, run.state);
  state.firstChild.className = `state ${run.state}`;
  write(score, run.last ? run.last.score.toFixed(4) : "none");
  write(done, `${number(run.done)} of ${number(run.total)} ${run.unit}`);
  write(method, `${run.method}, ${run.settings.evaluator ?? run.settings.seed_player ?? run.settings.seed_preset ?? ""}`.replace(/, $/, ""));
  write(seed, `${run.seed}`);
  write(settings.querySelector("pre"), Object.entries(run.settings).map(([key, value]) => `${key} = ${JSON.stringify(value)}`).join("\n"));
  return row;
}

function tell(text) {
  page("error").textContent = text;
  page("error").hidden = !text;
}

// The address and the controls.

async function choose(name, isChosen) {
  lab.chosen = lab.chosen.filter((one) => one !== name);
  if (isChosen) lab.chosen.push(name);
  writeAddress();
  if (isChosen) await readLog(name);
  follow();
  show();
}

function writeAddress() {
  const query = new URLSearchParams(lab.chosen.map((name) => ["run", name]));
  if (lab.by !== "games") query.set("by", lab.by);
  if (lab.isLog) query.set("axis", "logarithmic");
  if (lab.isMean) query.set("seeds", "mean");
  history.replaceState(null, "", `/lab${query.size ? `?${query}` : ""}`);
}

function readAddress() {
  const query = new URLSearchParams(location.search);
  lab.chosen = [...new Set(query.getAll("run"))];
  lab.by = ["seconds", "generations"].find((by) => by === query.get("by")) ?? "games";
  lab.isLog = query.get("axis") === "logarithmic";
  lab.isMean = query.get("seeds") === "mean";
  page("mean").checked = lab.isMean;
  page("by").value = lab.by;
  page("axis").value = lab.isLog ? "logarithmic" : "linear";
}

for (const id of ["by", "axis", "mean"]) {
  page(id).addEventListener("change", () => {
    lab.by = page("by").value;
    lab.isMean = page("mean").checked;
    lab.isLog = page("axis").value === "logarithmic";
    writeAddress();
    show();
  });
}
document.addEventListener("visibilitychange", () => { follow(); if (!document.hidden) list(); });
window.addEventListener("pagehide", () => lab.streams.forEach((stream) => stream.close()));

readAddress();
await list();
if (!lab.chosen.length && lab.runs.size) { // the most recent run, so that something is shown
  await choose(page("runs").firstElementChild.dataset.run, true);
}
setInterval(() => { if (!document.hidden) list(); }, LIST_EVERY);
