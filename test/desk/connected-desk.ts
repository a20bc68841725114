/** The desk's own connection to a service that runs in the test. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseOfficeAddress } from '#desk/office/office-address.ts';
import { connectOffice, type OfficeClient } from '#desk/office/office-client.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import { formatShownPerson } from '#desk/office/office-people.ts';
import { type CleanupScope, createTemporaryFolder, processScope } from '#test/cleanup.ts';
import { buildDeskApp, type DeskKey } from '#test/desk-api/desk-client.ts';
import { answerAsBuyer, type PlantedCase } from '#test/desk-api/planted-case.ts';
import type { TestApp } from '#test/test-app.ts';
import { openDeskPages } from './asked-pages.ts';

let shared: ReturnType<typeof buildSharedService> | undefined;

/** One service for all tests of the process, which run one after the other. */
function buildSharedService() {
  const env = { DELIVERY_UNDO_MINUTES: '10' };
  return buildDeskApp(processScope, { Sam: 'owner', Kim: 'investigator' }, { env });
}

/** The pages of Sam, an owner whose colleague is Kim, at a service without cases, from a desk that knows none. */
export async function startServedPages(t: CleanupScope, settings?: Parameters<typeof openDeskPages>[1]) {
  shared ??= buildSharedService();
  const service = await shared;
  await service.store.transaction(async (records) => {
    for (const table of [
      'refunds',
      'contact_messages',
      'object_pieces',
      'objects',
      'case_keys',
      'cases',
    ] as const)
      await records.deleteFrom(table).execute();
  });
  const office = await connectConfirmedDesk(t, service, service.keys.Sam);
  const answer = async (planted: PlantedCase, text: string) =>
    await answerAsBuyer(service.services, service.keys.Sam, planted, text);
  return { service, line: tapLine(office), answer, ...openDeskPages(office, settings) };
}

/** Wraps the line to the service: it can be down, and lists the acts that the service has done. */
export function tapLine({ signer }: OfficeClient) {
  const line: { isDown: boolean; readonly sent: string[] } = { isDown: false, sent: [] };
  const send = signer.send.bind(signer);
  signer.send = async (request) => {
    if (line.isDown) throw new OfficeFault('unreachable', 'The office cannot be reached.');
    const answer = await send(request);
    const { method, path, json } = request;
    if (method === 'POST') line.sent.push((json as { act?: string } | undefined)?.act ?? path);
    return answer;
  };
  return line;
}

/** Signs in as an investigator who has confirmed the people of the office. */
export async function connectConfirmedDesk(
  t: CleanupScope,
  office: Pick<TestApp, 'dataDir' | 'port'>,
  key: Pick<DeskKey, 'identity'>,
  folder?: string,
): Promise<OfficeClient> {
  const desk = await connectDesk(t, office, key, folder);
  const { people } = await desk.signIn();
  await desk.confirmPeople(people.map(formatShownPerson));
  return desk;
}

export async function connectDesk(
  t: CleanupScope,
  { dataDir, port }: Pick<TestApp, 'dataDir' | 'port'>,
  { identity }: Pick<DeskKey, 'identity'>,
  folder?: string,
): Promise<OfficeClient> {
  const desk = await connectOffice({
    address: parseOfficeAddress(`https://localhost:${port}`)!,
    trust: { ca: await readFile(join(dataDir, 'tls', 'localhost.crt'), 'utf8') },
    key: { identity, path: join(folder ?? (await createTemporaryFolder(t)), 'desk.key.pins') },
  });
  t.after(() => desk.close());
  return desk;
}
