/** A desk in its own process, for tests that kill it: its pages over the test's service, and drafts in real files. */
import { join } from 'node:path';
import { saveUnsent } from '#desk/keys/draft-file.ts';
import { DeskWork } from '#desk/model/desk-work.ts';
import { deriveRecipient } from '#seal/core/age.ts';
import { processScope } from '#test/cleanup.ts';
import { connectConfirmedDesk, tapLine } from './connected-desk.ts';
import { startDeskPages } from './desk-window.ts';

/** A command from the test; the answer is an address to enter by. */
export type DraftingOrder = 'enter' | 'lock' | 'unlock' | 'office away' | 'office back';

const [dataDir = '', port, identity = '', folder = ''] = process.argv.slice(2);
const key = { path: join(folder, 'desk.key.pins'), recipient: await deriveRecipient(identity) };
const { server, entry, lock } = await startDeskPages(async (form) => {
  await saveUnsent(key, form);
  return null;
});
let line = { isDown: false };

/** Unlocks like Enter in the terminal. */
async function unlock(): Promise<void> {
  entry.endVisit();
  const service = { dataDir, port: Number(port) };
  const office = await connectConfirmedDesk(processScope, service, { identity }, folder);
  line = tapLine(office);
  const desk = new DeskWork({ office, outFolder: null, templatesFolder: null });
  await desk.offerUnsent();
  lock.hold(desk);
}

async function obey(order: DraftingOrder): Promise<void> {
  if (order === 'lock') lock.lock('signal');
  if (order === 'unlock') await unlock();
  if (order.startsWith('office')) line.isDown = order === 'office away';
  process.send?.(`${server.origin}/enter/${entry.makeSecret()}`);
}

await unlock();
process.on('message', (order: DraftingOrder) => void obey(order));
process.on('disconnect', () => process.exit());
await obey('enter');
