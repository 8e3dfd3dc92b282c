// Hands: numbers of cards and pairs as the server has them, and the 13×13 classes.

export const RANKS = "23456789TJQKA";
export const SUITS = "cdhs";
export const cardNumber = (name) => 4 * RANKS.indexOf(name[0]) + SUITS.indexOf(name[1]);
export const cardName = (card) => RANKS[Math.floor(card / 4)] + SUITS[card % 4];
export const pairNumber = (a, b) => (Math.max(a, b) * (Math.max(a, b) - 1)) / 2 + Math.min(a, b);

export const PAIRS = [];
for (let high = 1; high < 52; high += 1) for (let low = 0; low < high; low += 1) PAIRS.push([low, high]);

export function cellOf(low, high) {
  const row = 12 - Math.floor(high / 4);
  const column = 12 - Math.floor(low / 4);
  return high % 4 !== low % 4 && row !== column ? column * 13 + row : row * 13 + column;
}
export const CELLS = PAIRS.map(([low, high]) => cellOf(low, high));
// of two cards, or of a class such as AKs
export const cellOfName = (hand) => (hand.length < 4 ? CELL_OF_CLASS.get(hand) : CELLS[pairNumber(cardNumber(hand.slice(0, 2)), cardNumber(hand.slice(2)))]);
export function className(cell) {
  const row = Math.floor(cell / 13);
  const column = cell % 13;
  const [first, second] = [Math.min(row, column), Math.max(row, column)].map((place) => RANKS[12 - place]);
  return first + second + (row === column ? "" : row < column ? "s" : "o");
}
const CELL_OF_CLASS = new Map(Array.from({ length: 169 }, (_, cell) => [className(cell), cell]));
export const PAIRS_OF = Array.from({ length: 169 }, () => []);
CELLS.forEach((cell, pair) => PAIRS_OF[cell].push(pair));
export const pairName = (pair) => cardName(PAIRS[pair][1]) + cardName(PAIRS[pair][0]);
