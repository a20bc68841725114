/** The queue: which cases there are, what is due first, and what is in clear of each. */
import { demandCase, OPEN } from '#cases/states.ts';
import { type CaseState, casesByDue } from '#store/cases.ts';
import { objectsOf, type StoredObject } from '#store/objects.ts';
import { caseJson, caseLines, dayText, dueText, iso, stateText, timeText } from './case-facts.ts';
import { command, demanded, misuse } from './command.ts';
import { cursorLine, limitOf, nextCursor, pageHelp, pageOptions, readCursor } from './list-pages.ts';
import { inOffice } from './office.ts';
import { pairs, table } from './table.ts';

const STATES = [...OPEN, 'delivered', 'declined', 'withdrawn'] as const satisfies readonly CaseState[];

export const listCases = command({
  usage: 'cases list [--state STATE] [--limit N] [--after CURSOR]',
  about: 'List cases, what is due first at the top. Nothing that is sealed is shown; no key is needed.',
  help: [
    [
      '--state STATE',
      `${STATES.join(', ')},
or all; may be given several times (the first three)`,
    ],
    ...pageHelp,
  ],
  options: { state: { type: 'string', multiple: true }, ...pageOptions },
  operands: 0,
  work: async ({ state, limit: limitText, after: cursor }) => {
    const states = statesOf(state);
    const limit = limitOf(limitText);
    const after = cursor === undefined ? undefined : readCursor(cursor);
    return await inOffice(async ({ clock, store }) => {
      const from = after ? { after: { due_at: after.at, id: after.id } } : {};
      const found = await casesByDue(store.records, { states, limit, ...from });
      const now = clock.now();
      const last = found.at(-1);
      const next = nextCursor(found.length, limit, last && { at: last.due_at, id: last.id });
      const rows = found.map((each) => [
        each.id,
        each.tier,
        stateText(each),
        dueText(each, now),
        each.call,
        each.sealed_by,
        dayText(each.purge_at),
      ]);
      const heads = ['CASE', 'TIER', 'STATE', 'DUE', 'CALL', 'SEALED BY', 'PURGED ON'];
      return {
        text: rows.length === 0 ? 'No cases.\n' : table(heads, rows) + cursorLine(next),
        json: { cases: found.map((each) => caseJson(each, now)), next },
      };
    });
  },
});

export const showCase = command({
  usage: 'cases show ID',
  about: 'Show what is in clear of a case, and how many sealed things it has. No key is needed.',
  options: {},
  operands: 1,
  work: async (_values, [id]) =>
    await inOffice(async ({ clock, store }) => {
      const record = await demandCase(store.records, demanded(id, 'ID'));
      const objects = await objectsOf(store.records, record.id);
      const now = clock.now();
      const things = objects.map((object) => [nameOf(object), `${object.size}`, timeText(object.keptAt)]);
      return {
        text: `${pairs(caseLines(record, now))}\n${table(['SEALED', 'BYTES', 'SINCE'], things)}`,
        json: { case: caseJson(record, now), objects: objects.map(objectJson) },
      };
    }),
});

function statesOf(given: readonly string[] | undefined): readonly CaseState[] {
  if (given === undefined) return OPEN;
  if (given.includes('all')) return STATES;
  return given.map((name) => {
    const state = STATES.find((each) => each === name);
    if (state === undefined) throw misuse(`--state takes ${STATES.join(', ')} or all`);
    return state;
  });
}

function nameOf({ kind, seq }: StoredObject): string {
  return `${kind.replace(/\.v\d+$/, '').replaceAll('-', ' ')} ${seq + 1}`;
}

function objectJson({ kind, seq, size, keptAt }: StoredObject) {
  return { kind, seq, size, kept_at: iso(keptAt) };
}
