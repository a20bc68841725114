/** The scale of tests that could run for hours: reduced in `npm test`, full in `npm run test:long`. */

interface Appearance {
  readonly width: 1280 | 390 | 320;
  readonly colorScheme: 'light' | 'dark';
}

const appearances = ([1280, 390, 320] as const).flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme): Appearance => ({ width, colorScheme })),
);

/** Each in the long run, and otherwise. */
const scales = {
  /** The share of the thirteen thousand bad API requests that is sent. */
  fuzzShare: [1, 0.06],
  /** Valid and invalid requests by every role that may call the API. */
  roleRequests: [100_000, 600],
  /** Sends every nth odd value. Not a divisor of their number, so that each is sent to some route. */
  oddValueStep: [1, 5],
  /** Repeats every nth fragment until a parser should be slow. */
  fragmentStep: [1, 60],
  /** Fills every nth place in the body of a route with a wrong value. */
  wrongPlaceStep: [1, 6],
  /** Programs that are killed while they write and purge. */
  writerKills: [20, 2],
  purgeKills: [20, 2],
  purgedCases: [2_000, 400],
  /** Kills a program at every nth of its steps on the disk. */
  killStride: [1, 32],
  /** Kills during backups and restores. */
  backupKills: [40, 1],
  /** The size of the large file that a browser sends: several pieces, or the maximum. */
  browserFileMebibytes: [25, 3],
  /** Purchases that are begun on a small disk and never paid. */
  floodingCheckouts: [4_500, 50],
  /** Rows of each kind that are due for a sweep. */
  sweptRows: [100_000, 1_000],
  /** Commands of the simulation. */
  simulatedCommands: [40_000, 4_000],
} as const;

type TestScale = Readonly<Record<keyof typeof scales, number>> & {
  /** Pages whose scores are measured, by their names in `listPageVisits`. */
  readonly scoredPages: readonly string[];
  /** The window widths and colour schemes for the pages; the short list has only the extremes. */
  readonly appearances: readonly Appearance[];
};

/** For tests that only the long run includes. */
export const isLongRun = process.env['TEST_SCALE'] === 'long';
const numbers = Object.entries(scales).map(([name, [whole, part]]) => [name, isLongRun ? whole : part]);
export const scale: TestScale = {
  ...(Object.fromEntries(numbers) as Record<keyof typeof scales, number>),
  scoredPages: isLongRun ? ['home', 'inquiry'] : [],
  appearances: isLongRun ? appearances : [appearances[0]!, appearances.at(-1)!],
};
