/** A service in which everything has happened that the desk's pages show. All people in it are fictional. */
import { receiveContactMessage } from '#cases/intake/contact.ts';
import { createRegistration, pollRegistration } from '#clients/registration.ts';
import { approveRegistration, rejectRegistration, suspendClient } from '#clients/registration-decision.ts';
import type { DeskOffice } from '#desk/office/office-client.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { generateId } from '#platform/text/ids.ts';
import type { Case } from '#store/cases/cases.ts';
import { insertOrder } from '#store/orders/orders.ts';
import type { DeskKey } from '#test/desk-api/desk-client.ts';
import {
  answerAsBuyer,
  insertPlantedCase,
  PLANTED_INQUIRY,
  type PlantedCase,
} from '#test/desk-api/planted-case.ts';
import { createSampleOrder } from '#test/store/sample-order.ts';
import type { TestApp } from '#test/test-app.ts';
import { listNamedBeginnings } from '#wire/case-name.ts';

/** The case that is being worked on: asked, answered, with a note. */
export const MAIN_CASE = 'amber lantern';
export const DELIVERED_CASE = 'rosy orchid';

/** Name, hours until it is due, tier, assignee, question. */
const CASES = [
  ['russet thistle', -2, 'Trace', 'kim', 'Whose number keeps calling my mother?'],
  [MAIN_CASE, 3, 'Dossier', 'sam', 'Is the recruiter who wrote to me really from the company they name?'],
  ['pewter ferry', 6, 'Deep Sweep', 'kim', 'Who is behind the account that copies my shop?'],
  ['serene ravine', 9, 'Trace', 'sam', 'Is the online shop that took my money a real company?'],
  ['northern kettle', 11, 'Dossier', 'sam', 'Does my new business partner own what he says he owns?'],
  ['pale willow', 21, 'Trace', null, 'Who wrote the letter that I found in my letter box?'],
  ['breezy pasture', 23, 'Dossier', null, 'Is my landlord the owner of the flat?'],
  ['emerald anvil', 31, 'Deep Sweep', null, 'What became of my school friend?'],
  [DELIVERED_CASE, 40, 'Dossier', 'sam', 'Does the recruiter work where she says she works?'],
] as const;

export const SAMPLE_FINDING = `# She does not work there

The company is **real**, but no one of that name works for it.

## What we checked

- The company's own switchboard does not know her.
- The number belongs to a prepaid card.
- The domain was registered nine days before she wrote.

| checked | found |
|---|---|
| register of companies | entry of 2011, other address |
| talent.example | registered 7 November |

## What we advise

Send no copy of your passport. Ask for an address at the company's own domain.
`;

/** Long, so that no page can rely on short addresses. */
export const LONG_MAIL = `${'research.department.of.the.northern.office'.repeat(3)}@correspondence.example`;

type Names = 'sam' | 'kim';
type Office = TestApp & { readonly keys: Readonly<Record<Names, DeskKey>> };

/** Works through two desks, as people would: sealed content cannot be written in any other way. */
export async function fillOffice(
  office: Office,
  desks: Readonly<Record<Names, DeskOffice>>,
): Promise<ReadonlyMap<string, PlantedCase>> {
  const planted = new Map<string, PlantedCase>();
  for (const [name, hours, tier, who, question] of CASES)
    planted.set(
      name,
      await insertNamedCase(office, { name, hours, tier, question }, who && desks[who].holder),
    );
  await writeInCases(office, desks, planted);
  await fillContact(office);
  await fillAgents(office);
  await fillOrders(office);
  return planted;
}

interface NamedCase {
  readonly name: string;
  readonly hours: number;
  readonly tier: Case['tier'];
  readonly question: string;
}

async function insertNamedCase(
  office: Office,
  { name, hours, tier, question }: NamedCase,
  assignee: string | null,
): Promise<PlantedCase> {
  const [beginning = ''] = listNamedBeginnings(name);
  const id = `${beginning}${generateId().slice(beginning.length)}`;
  // Not on the hour, so that the displayed hours do not change while a picture is taken.
  const due = Date.now() + hours * HOUR_MS + 10 * MINUTE_MS;
  const facts = { id, tier, assignee, due_at: due, submitted_at: due - 2 * DAY_MS };
  return await insertPlantedCase(office, facts, { ...PLANTED_INQUIRY, question });
}

async function writeInCases(
  office: Office,
  { sam, kim }: Readonly<Record<Names, DeskOffice>>,
  planted: ReadonlyMap<string, PlantedCase>,
): Promise<void> {
  const main = planted.get(MAIN_CASE)!;
  const { seen } = await sam.readCase(main.id);
  await sam.sendMessage(main.id, {
    act: 'ask',
    text: 'Which name did she use with you, and from which address did she write?',
    seen,
  });
  await kim.addNote(main.id, 'The number is prepaid. I have asked the company by phone.');
  const answer = 'She wrote as Dana Reyes, from dana@talent.example. She called twice.';
  await answerAsBuyer(office.services, office.keys.sam, main, answer);
  await kim.readCase(planted.get('pewter ferry')!.id);
  await sam.readCase(planted.get('serene ravine')!.id);
  const { id } = planted.get(DELIVERED_CASE)!;
  const opened = await sam.readCase(id);
  const pages = Buffer.from('A page of the register.');
  const file = {
    name: 'register-extract.pdf',
    size: pages.length,
    content: () => ReadableStream.from([pages]),
  };
  await sam.deliver(id, { markdown: SAMPLE_FINDING, files: [file], seen: opened.seen, atOnce: true });
}

async function fillContact({ services }: Office): Promise<void> {
  const messages = [
    ['question', 'Can you also find out who owned a house in 1990?', 'noor@post.example'],
    ['press', 'I write about people who search for people. '.repeat(40), LONG_MAIL],
    ['privacy_request', `Please delete what you have of me.\n\n${'https://post.example/'.repeat(20)}`, ''],
  ] as const;
  for (const [topic, message, replyTo] of messages)
    await receiveContactMessage(services, { topic, message, reply_to: replyTo });
}

/** One in each state but `rotating`, which looks like `approved`. */
async function fillAgents({ services }: Office): Promise<void> {
  const register = async (name: string, contact: string, redirectUris: readonly string[] = []) =>
    await createRegistration(services, {
      name,
      contact,
      identityType: 'email',
      credentials: 'dpop',
      redirectUris,
    });
  await register('Example Research', 'agents@research.example', ['https://research.example/callback']);
  await register(
    'The Correspondence and Research Assistant of the Northern Office, 2nd edition',
    LONG_MAIL,
    Array.from({ length: 4 }, (_, index) => `https://${'assistant.'.repeat(9)}example/callback/${index}`),
  );
  const approved = await register('Waiting Assistant', 'assistant@waiting.example');
  const active = await register('Harbour Assistant', 'assistant@harbour.example');
  const suspended = await register('Careless Assistant', 'assistant@careless.example');
  const rejected = await register('Nameless Assistant', 'assistant@nowhere.example');
  const access = { scopes: ['pricing:read', 'case:read'], grants: ['client_credentials'] } as const;
  for (const { id } of [approved, active, suspended]) await approveRegistration(services, id, access, null);
  for (const { id, token } of [active, suspended]) await pollRegistration(services, id, token ?? '');
  await suspendClient(services, suspended.id, null);
  await rejectRegistration(services, rejected.id, null);
}

async function fillOrders({ store }: Office): Promise<void> {
  const day = Date.now() - DAY_MS;
  const orders = [
    { payment: 'quarantined', tier: 'Trace' },
    { payment: 'quarantined', tier: 'Dossier' },
    { payment: 'disputed', tier: 'Dossier' },
    { payment: 'paid', on_hold: 1, tier: 'Deep Sweep' },
    { payment: 'refunded', tier: 'Trace' },
    { payment: 'paid', tier: 'Trace' },
  ] as const;
  for (const changes of orders)
    await store.transaction(async (records) => {
      await insertOrder(records, createSampleOrder({ revision: 1, created_at: day, ...changes }));
    });
}
