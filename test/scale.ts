/** The scale of tests that could run for hours: reduced in `npm test`, full in `npm run test:long`. */

interface TestScale {
  /** The share of the thirteen thousand bad API requests that is sent. */
  readonly fuzzShare: number;
  /** Valid and invalid requests by every role that may call the API. */
  readonly roleRequests: number;
  /** Sends every nth odd value. Not a divisor of their number, so that each is sent to some route. */
  readonly oddValueStep: number;
  /** Repeats every nth fragment until a parser should be slow. */
  readonly fragmentStep: number;
  /** Fills every nth place in the body of a route with a wrong value. */
  readonly wrongPlaceStep: number;
  /** Programs that are killed while they write and purge. */
  readonly writerKills: number;
  readonly purgeKills: number;
  readonly purgedCases: number;
  /** Kills a program at every nth of its steps on the disk. */
  readonly killStride: number;
  /** Kills during backups and restores. */
  readonly backupKills: number;
  /** The size of the large file that a browser sends: several pieces, or the maximum. */
  readonly browserFileMebibytes: number;
  /** Purchases that are begun on a small disk and never paid. */
  readonly floodingCheckouts: number;
  /** Rows of each kind that are due for a sweep. */
  readonly sweptRows: number;
  /** Commands of the simulation. */
  readonly simulatedCommands: number;
  /** Pages whose scores are measured, by their names in `listPageVisits`. */
  readonly scoredPages: readonly string[];
  /** The window widths and colour schemes for the pages; the short list has only the extremes. */
  readonly appearances: readonly Appearance[];
}

interface Appearance {
  readonly width: 1280 | 390 | 320;
  readonly colorScheme: 'light' | 'dark';
}

const whole: TestScale = {
  fuzzShare: 1,
  roleRequests: 100_000,
  oddValueStep: 1,
  fragmentStep: 1,
  wrongPlaceStep: 1,
  writerKills: 20,
  purgeKills: 20,
  purgedCases: 2_000,
  killStride: 1,
  backupKills: 40,
  browserFileMebibytes: 25,
  floodingCheckouts: 4_500,
  sweptRows: 100_000,
  simulatedCommands: 40_000,
  scoredPages: ['home', 'inquiry'],
  appearances: ([1280, 390, 320] as const).flatMap((width) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
  ),
};

const part: TestScale = {
  fuzzShare: 0.06,
  roleRequests: 600,
  oddValueStep: 5,
  fragmentStep: 60,
  wrongPlaceStep: 6,
  writerKills: 2,
  purgeKills: 2,
  purgedCases: 400,
  killStride: 32,
  backupKills: 1,
  browserFileMebibytes: 3,
  floodingCheckouts: 50,
  sweptRows: 1_000,
  simulatedCommands: 4_000,
  scoredPages: [],
  appearances: [
    { width: 1280, colorScheme: 'light' },
    { width: 320, colorScheme: 'dark' },
  ],
};

/** For tests that only the long run includes. */
export const isLongRun = process.env['TEST_SCALE'] === 'long';
export const scale = isLongRun ? whole : part;
