/** Draws the result as bars of what was measured against the target, for light and dark pages. */
import type { BenchRow } from './row.ts';
import { formatMeasured, formatTarget } from './table.ts';
import { computeShare } from './worst.ts';

const SIZE = { label: 500, bars: 260, figure: 200, row: 26, head: 34, foot: 30, bar: 14 } as const;
const WIDTH = SIZE.label + SIZE.bars + SIZE.figure;
/** Longer bars are cut here; their figure tells how long they are. */
const MAX_SHARE = 2;
const LABEL_CHARACTERS = 72;

const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.page { fill: #ffffff } .note { fill: #59636e; font-size: 12px }
.met { fill: #1a7f37 } .missed { fill: #cf222e } .line { stroke: #59636e; stroke-dasharray: 3 3 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .page { fill: #0d1117 } .note { fill: #9198a1 }
  .met { fill: #3fb950 } .missed { fill: #f85149 } .line { stroke: #9198a1 }
}`;

/** `caption` says when and where. */
export function drawResultChart(rows: readonly BenchRow[], caption: string): string {
  const drawn = rows.filter(({ measured, target }) => measured !== null && target !== null);
  const bottom = SIZE.head + drawn.length * SIZE.row;
  const height = bottom + SIZE.foot;
  const targetX = SIZE.label + SIZE.bars / MAX_SHARE;
  const missed = drawn.filter(({ met }) => met === false).length;
  const title = `${drawn.length - missed} of ${drawn.length} targets are met`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeXml(title)}">
<style>${STYLE}
</style>
<rect class="page" width="${WIDTH}" height="${height}"/>
<text x="${targetX}" y="20" text-anchor="middle" class="note">target</text>
${drawn.map((row, index) => drawBar(row, SIZE.head + index * SIZE.row)).join('\n')}
<line class="line" x1="${targetX}" x2="${targetX}" y1="${SIZE.head - 8}" y2="${bottom}"/>
<text x="10" y="${bottom + 18}" class="note">${escapeXml(caption)}</text>
</svg>
`;
}

function drawBar(row: BenchRow, top: number): string {
  const { work, measured, unit, target, met } = row;
  const share = Math.min(computeShare(row), MAX_SHARE);
  const width = Math.max(1, Math.round((share / MAX_SHARE) * SIZE.bars));
  const baseline = top + SIZE.bar - 2;
  const label = work.length > LABEL_CHARACTERS ? `${work.slice(0, LABEL_CHARACTERS - 1)}…` : work;
  const figure = measured ? `${formatMeasured(measured, unit)}, ${formatTarget(target, unit)}` : '';
  return [
    `<text x="${SIZE.label - 10}" y="${baseline}" text-anchor="end">${escapeXml(label)}</text>`,
    `<rect class="${met ? 'met' : 'missed'}" x="${SIZE.label}" y="${top}" width="${width}" height="${SIZE.bar}" rx="2"/>`,
    `<text x="${SIZE.label + SIZE.bars + 8}" y="${baseline}">${met ? '' : '✗ '}${escapeXml(figure)}</text>`,
  ].join('\n');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
