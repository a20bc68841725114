/** Subsets the fonts to the characters and weights in `fonts.css` (`npm run fonts`): they are most of a first page. */
import { readFileSync, writeFileSync } from 'node:fs';
import subsetFont from 'subset-font';

const FOLDER = 'src/view/styles';

/** Kerning, ligatures, and the figures that the pages use. */
const KEPT_FEATURES = ['kern', 'liga', 'lnum', 'tnum'];
/** Copyright, licence and its address: the licence requires them in every copy. */
const KEPT_NAMES = [0, 13, 14];

/** Returns each font by the path of its file. */
export async function cutFonts(): Promise<ReadonlyMap<string, Buffer>> {
  const faces = readFileSync(`${FOLDER}/fonts.css`, 'utf8').matchAll(
    /url\("(?<name>.+)\.woff2"\)[^}]*font-weight: (?<weights>.+);[^}]*unicode-range: (?<range>.+);/g,
  );
  const cut = new Map<string, Buffer>();
  for (const { groups: { name = '', weights = '', range = '' } = {} } of faces) {
    const font = import.meta.resolve(`@fontsource-variable/${name}/files/${name}-latin-wght-normal.woff2`);
    const [min = 0, max = min] = weights.split(' ').map(Number);
    const options = {
      targetFormat: 'woff2',
      variationAxes: { wght: min === max ? min : { min, max } },
      keepFeatures: KEPT_FEATURES,
      preserveNameIds: KEPT_NAMES,
    } as const;
    cut.set(
      `${FOLDER}/${name}.woff2`,
      await subsetFont(readFileSync(new URL(font)), listCharacters(range), options),
    );
  }
  return cut;
}

/** The characters of a list such as `U+0000-00FF, U+20AC`. */
function listCharacters(range: string): string {
  return range
    .split(', ')
    .flatMap((part) => {
      const [from = 0, to = from] = part
        .slice(2)
        .split('-')
        .map((digits) => Number.parseInt(digits, 16));
      return Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at));
    })
    .join('');
}

if (import.meta.main) for (const [path, bytes] of await cutFonts()) writeFileSync(path, bytes);
