/** Saves a result: the whole table, the chart, and the short table in the README. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { drawResultChart } from './chart.ts';
import type { BenchRow } from './row.ts';
import { formatResultTable, formatShortTable } from './table.ts';
import { pickWorstRows } from './worst.ts';

const MARKS = ['<!-- bench -->', '<!-- /bench -->'] as const;

export interface BenchRun {
  readonly rows: readonly BenchRow[];
  /** When and where it ran, in words. */
  readonly time: string;
  readonly machine: string;
}

/** Names the file of the table after the time, so that earlier results stay. Returns its path. */
export async function saveResults(project: string, { rows, time, machine }: BenchRun): Promise<string> {
  const folder = join(project, 'bench', 'results');
  const caption = `${time}; ${machine}`;
  const name = `${time.replaceAll(/[ :]/g, '-').replace(/-UTC$/, '')}.md`;
  const short = pickWorstRows(rows);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), `# Measured on ${caption}\n\n${formatResultTable(rows)}`);
  await writeFile(join(folder, 'chart.svg'), drawResultChart(short, caption));
  const readme = join(project, 'README.md');
  const section = `\n${caption}; [all figures](bench/results/${name}).\n\n${formatShortTable(short)}\n`;
  await writeFile(readme, replaceSection(await readFile(readme, 'utf8'), section));
  return join('bench', 'results', name);
}

/** Leaves a text without the marks as it is. */
export function replaceSection(text: string, section: string): string {
  const [before, after] = [text.indexOf(MARKS[0]), text.indexOf(MARKS[1])];
  if (before < 0 || after < before) return text;
  return text.slice(0, before + MARKS[0].length) + `\n${section}` + text.slice(after);
}
