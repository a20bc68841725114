/** Where a case is worked on: in the records of the office, or in a bundle on another machine. */
import {
  type Bundle,
  caseFileIn,
  type SealedContent,
  withDelivery,
  withMessage,
} from '#cases/bundle/bundle.ts';
import { deliverWhole } from '#cases/delivery.ts';
import { addMessage, type SealedMessage } from '#cases/messages.ts';
import { type CaseFile, readCaseFile } from '#cases/sealed-case.ts';
import { demandCase } from '#cases/states.ts';
import { systemClock } from '#platform/clock.ts';
import type { Case } from '#store/cases.ts';
import { saveBundle, withBundle } from './bundle-file.ts';
import { caseJson, stepReport } from './case-facts.ts';
import { demanded, misuse, type Report } from './command.ts';
import { inOffice } from './office.ts';
import { demandFree } from './saved-file.ts';

export interface Workplace {
  readonly file: CaseFile;
  readonly now: () => number;
  readonly write: (message: SealedMessage) => Promise<Case>;
  readonly deliver: (finding: Uint8Array, files: readonly SealedContent[]) => Promise<Case>;
  /** What to say once it is written: in a bundle it has not reached the buyer yet. */
  readonly report: (record: Case, done: string) => Report;
}

interface Place {
  readonly id: string | undefined;
  readonly bundle: string | undefined;
  /** Where the bundle with what was written goes; undefined where nothing will be written. */
  readonly out?: string | undefined;
}

export const bundleOption = { bundle: { type: 'string' } } as const;
export const bundleHelp = [
  '--bundle FILE',
  'instead of ID: an exported case, without database or configuration',
] as const;
export const resultHelp = [
  bundleHelp,
  ['--out FILE', 'a new bundle with the result, for cases import'],
] as const;

export async function atCase<Result>(
  { id, bundle, out }: Place,
  work: (workplace: Workplace) => Promise<Result>,
): Promise<Result> {
  if (bundle === undefined) return await atStoredCase(demanded(id, 'ID'), work);
  if (id !== undefined) throw misuse('Give either ID or --bundle');
  return await withBundle(bundle, async (found) => await work(bundled(found, out)));
}

/** For commands that write: their result needs a place of its own. */
export function resultOf({ bundle, out }: { bundle?: string; out?: string }): Pick<Place, 'bundle' | 'out'> {
  if ((bundle === undefined) !== (out === undefined))
    throw misuse('--bundle FILE and --out FILE belong together: the second is the bundle with the result');
  if (out !== undefined) demandFree(out);
  return { bundle, out };
}

async function atStoredCase<Result>(
  id: string,
  work: (workplace: Workplace) => Promise<Result>,
): Promise<Result> {
  return await inOffice(async (office) => {
    const file = await readCaseFile(office, await demandCase(office.store.records, id));
    return await work({
      file,
      now: () => office.clock.now(),
      report: (record, done) => stepReport(record, office.clock.now(), done),
      write: (message) => addMessage(office, id, message),
      deliver: (finding, files) =>
        deliverWhole(
          office,
          id,
          finding,
          files.map(({ content }) => content),
        ),
    });
  });
}

function bundled(bundle: Bundle, out: string | undefined): Workplace {
  const save = async (result: Bundle): Promise<Case> => {
    await saveBundle(demanded(out, '--out FILE'), result);
    return result.record;
  };
  const now = () => systemClock.now();
  return {
    file: caseFileIn(bundle),
    now,
    report: (record) => ({
      text: `Written into ${out}. Nothing has reached the case before cases import brings it back.\n`,
      json: { case: caseJson(record, now()), bundle: out },
    }),
    write: (message) => save(withMessage(bundle, message, now())),
    deliver: (finding, files) => save(withDelivery(bundle, finding, files, now())),
  };
}
