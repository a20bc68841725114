/** Draws choices from the numbers that a seed assigns to one step. */

export interface Draw {
  /** From 0 up to, but not including, the limit. */
  readonly below: (limit: number) => number;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  /** True with this probability in percent. */
  readonly chance: (percent: number) => boolean;
  readonly shuffle: <Item>(items: readonly Item[]) => Item[];
}

/** Smaller numbers select simpler choices, so that a shrunk story is simpler. */
export function createDraw(numbers: readonly number[]): Draw {
  let used = 0;
  const below = (limit: number) => (numbers[used++ % numbers.length] ?? 0) % limit;
  return {
    below,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('there is nothing to pick from');
      return item;
    },
    chance: (percent) => below(100) >= 100 - percent,
    shuffle: (items) => {
      const left = [...items];
      return items.map(() => left.splice(below(left.length), 1)[0]!);
    },
  };
}
