// Sums by class over the hands of a node: weight, mix, equity, EV.

import { cardNumber, cellOfName, PAIRS, PAIRS_OF } from "./hands.js";

export function classSums(node) {
  const actions = node.labels.length;
  const acts = node.strategy.length > 0;
  const sums = Array.from({ length: 169 }, () => ({ weight: 0, average: 0, mix: new Array(acts ? actions : 0).fill(0), equity: 0, ev: 0, eqr: 0, valued: 0, hands: [] }));
  node.hands.forEach((hand, i) => {
    const sum = sums[cellOfName(hand)];
    const weight = node.weight[i];
    sum.hands.push(i);
    sum.weight += weight;
    if (acts) for (let a = 0; a < actions; a += 1) sum.mix[a] += weight * node.strategy[i][a];
    const equity = node.hand_equity?.[i];  // not known at tables before the flop
    if (node.hand_ev[i] !== null && equity !== null) {
      sum.valued += weight;
      sum.equity += weight * (equity ?? 0);
      sum.ev += weight * node.hand_ev[i];
      sum.eqr += weight * (node.hand_eqr?.[i] ?? 0);
    }
  });
  let tallest = 0;
  sums.forEach((sum, cell) => {
    if (sum.weight > 0) sum.mix = sum.mix.map((share) => share / sum.weight);
    for (const name of ["equity", "ev", "eqr"]) sum[name] = sum.valued > 0 ? sum[name] / sum.valued : null;
    sum.average = sum.weight / Math.max(liveCombos(cell, node.board), 1);
    tallest = Math.max(tallest, sum.average);
  });
  return { sums, tallest: tallest || 1 };
}

const live = new Map();
function liveCombos(cell, board) {
  const key = `${cell}/${board}`;
  if (!live.has(key)) {
    if (live.size > 20000) live.clear();
    live.set(key, countLive(cell, board));
  }
  return live.get(key);
}
function countLive(cell, board) {
  const dead = new Set((board.match(/../g) ?? []).map(cardNumber));
  return PAIRS_OF[cell].filter((pair) => !dead.has(PAIRS[pair][0]) && !dead.has(PAIRS[pair][1])).length;
}

// how a grid is drawn: what is shown in a cell, and over which span
export const MODES = {
  strategy: "Strategy", range: "Range", equity: "Equity", ev: "EV", eqr: "EQR",
};
