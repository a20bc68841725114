/** A desk in a process of its own, for tests that kill it: its pages over an office in memory, with drafts in real files. */
import { saveUnsent } from '#desk/keys/unsent-file.ts';
import { DeskWork } from '#desk/model/desk-work.ts';
import { CaseDrafts } from '#desk/office/case-drafts.ts';
import { deriveRecipient } from '#seal/core/age.ts';
import { startDeskPages } from './desk-window.ts';
import { createMadeUpOffice, OWN_HOLDER } from './made-up-office.ts';

/** What the test tells it; it answers each with an address to enter by. */
export type DraftingOrder = 'enter' | 'lock' | 'unlock' | 'office away' | 'office back';

const [path = '', identity = '', ...cases] = process.argv.slice(2);
const key = { path, identity };
const drafts = new CaseDrafts(key);
const office = createMadeUpOffice();
Object.assign(office, {
  readDraft: drafts.read.bind(drafts),
  readDraftTimes: drafts.readTimes.bind(drafts),
  saveDraft: drafts.save.bind(drafts),
  dropDraft: drafts.drop.bind(drafts),
  takeUnsent: drafts.takeUnsent.bind(drafts),
});
for (const id of cases) {
  const { facts } = office.addCase(id, { holder: OWN_HOLDER, state: 'in_progress' });
  office.cases.get(id)!.facts = { ...facts, acts: [...facts.acts, 'retain'] };
}

const recipient = await deriveRecipient(key.identity);
const { server, entry, lock } = await startDeskPages(async ({ caseId, fields }) => {
  await saveUnsent({ path, recipient }, caseId, fields);
  return null;
});

/** As Enter in the terminal does. */
async function unlock(): Promise<void> {
  entry.endVisit();
  const desk = new DeskWork({ office, outFolder: null, templatesFolder: null });
  await desk.offerUnsent();
  lock.hold(desk);
}

async function obey(order: DraftingOrder): Promise<void> {
  if (order === 'lock') lock.lock('signal');
  if (order === 'unlock') await unlock();
  if (order.startsWith('office')) office.isDown = order === 'office away';
  process.send?.(`${server.origin}/enter/${entry.makeSecret()}`);
}

await unlock();
process.on('message', (order: DraftingOrder) => void obey(order));
process.on('disconnect', () => process.exit());
await obey('enter');
