/** How often the tests try what could be tried for hours: a part of it in `npm test`, all of it in `npm run test:long`. */

interface TestScale {
  /** Of the thirteen thousand bad requests to the API. */
  readonly fuzzShare: number;
  /** Good and bad ones by everyone who may ask the API. */
  readonly roleRequests: number;
  /** One of so many odd values is sent; no divisor of their number, so that each has its turn at some route. */
  readonly oddValueStep: number;
  /** One of so many fragments is repeated until a parser should be slow. */
  readonly fragmentStep: number;
  /** Of the places in the body of a route, every how many-th is filled with what is wrong. */
  readonly wrongPlaceStep: number;
  /** Programs that are killed while they write and purge. */
  readonly writerKills: number;
  readonly purgeKills: number;
  readonly purgedCases: number;
  /** Of the steps of a program on the disk, every how many-th is tried. */
  readonly killStride: number;
  /** Of a backup, and of a restore. */
  readonly backupKills: number;
  /** Of the large file that a browser sends: several pieces, or as much as is allowed. */
  readonly browserFileMebibytes: number;
  /** Purchases that are begun on a small disk and never paid. */
  readonly floodingCheckouts: number;
  /** Rows of each kind that wait for a sweep. */
  readonly sweptRows: number;
  /** Commands of the simulation. */
  readonly simulatedCommands: number;
  /** Pages whose scores are measured, by their names in `listPageVisits`. */
  readonly scoredPages: readonly string[];
  /** What the pages are looked at through; the short list has the ends of what readers have. */
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

/** For what is tried there alone. */
export const isLongRun = process.env['TEST_SCALE'] === 'long';
export const scale = isLongRun ? whole : part;
