/** A thief with a copy of the records tries to find out which payment belongs to which case. */
import { sql } from 'kysely';
import type { Store } from '#store/store.ts';

type Row = Readonly<Record<string, unknown>>;
/** Tables by name, their rows in the order of the copy. */
export type RecordsCopy = ReadonlyMap<string, readonly Row[]>;

/** What a copy says about one payment or one case, by table and column. */
interface Trace {
  readonly id: string;
  /** Equal on both sides of a sale, so it narrows the search. */
  readonly group: string;
  readonly clues: ReadonlyMap<string, string | number>;
}

export async function copyRecords(store: Store, log: readonly string[]): Promise<RecordsCopy> {
  const copy = new Map<string, readonly Row[]>();
  for (const { name } of await store.records.introspection.getTables()) {
    const { rows } = await sql<Row>`select * from ${sql.table(name)}`.execute(store.records);
    copy.set(name, rows);
  }
  const lines = log.map((line) => ({ line }));
  return copy.set('log', lines);
}

/** Everything in a row with the id, or in the row of the id itself. */
export function collectTraces(
  copy: RecordsCopy,
  table: string,
  getGroup: (row: Row) => string = () => '',
): Trace[] {
  return (copy.get(table) ?? []).map((own) => {
    const id = String(own['id']);
    const clues = new Map<string, string | number>();
    for (const [name, rows] of copy)
      for (const [place, row] of rows.entries()) if (hasId(row, id)) addClues(clues, name, place, row);
    return { id, group: getGroup(own), clues };
  });
}

function hasId(row: Row, id: string): boolean {
  return Object.values(row).some((value) => typeof value === 'string' && value.includes(id));
}

function addClues(clues: Map<string, string | number>, name: string, place: number, row: Row): void {
  const found: [string, unknown][] = [['its place', place], ...Object.entries(row)];
  for (const [column, value] of found) {
    const clue = `${name}.${column}`;
    if ((typeof value === 'string' || typeof value === 'number') && !clues.has(clue)) clues.set(clue, value);
  }
}

/** Sorts both sides by one clue each and puts them side by side; the best pair of clues first. */
export function joinByOrder(
  payments: readonly Trace[],
  cases: readonly Trace[],
  isPair: (payment: string, inquiry: string) => boolean,
) {
  const groups = new Set(payments.map(({ group }) => group));
  return listClues(payments)
    .flatMap((left) => listClues(cases).map((right) => ({ left, right })))
    .map(({ left, right }) => {
      const correct = [...groups].reduce((sum, group) => {
        const ordered = sortByClue(payments, left, group);
        const inquiries = sortByClue(cases, right, group);
        return sum + ordered.filter((id, place) => isPair(id, inquiries[place] ?? '')).length;
      }, 0);
      return { by: `${left} with ${right}`, correct };
    })
    .toSorted((a, b) => b.correct - a.correct);
}

function listClues(traces: readonly Trace[]): string[] {
  return [...new Set(traces.flatMap(({ clues }) => [...clues.keys()]))];
}

/** Equal clues say nothing, so their order is random. */
function sortByClue(traces: readonly Trace[], clue: string, group: string): string[] {
  return traces
    .filter((trace) => trace.group === group)
    .map(({ id, clues }) => ({ id, value: clues.get(clue) ?? '', lot: Math.random() }))
    .toSorted((a, b) => compareClues(a.value, b.value) || a.lot - b.lot)
    .map(({ id }) => id);
}

function compareClues(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a) < String(b) ? -1 : Number(String(a) > String(b));
}

/** Pairs that share a value that no other row has. */
export function joinByValue(payments: readonly Trace[], cases: readonly Trace[]): [string, string][] {
  const inquiries = groupByValue(cases);
  return [...groupByValue(payments)].flatMap(([value, [payment, ...others]]): [string, string][] => {
    const [inquiry, ...more] = inquiries.get(value) ?? [];
    const alone = others.length === 0 && more.length === 0;
    return alone && payment && inquiry ? [[payment.id, inquiry.id]] : [];
  });
}

/** Small numbers are counts and row positions; equal ones mean nothing. */
function groupByValue(traces: readonly Trace[]): Map<string | number, { id: string }[]> {
  const values = traces.flatMap(({ id, clues }) =>
    [...new Set(clues.values())]
      .filter((value) => typeof value === 'string' || value > 1_000_000)
      .map((value) => ({ id, value })),
  );
  return Map.groupBy(values, ({ value }) => value);
}
