/** Answers for the audit log: a page of it, and that the investigator knows why it is another one. */
import type { DeskAnswer, DeskRequest } from '#desk-program/loopback/page-route.ts';
import type { DeskWork } from '#desk-program/model/desk-work.ts';
import { renderAuditPage } from './audit-page.ts';
import { readText } from './case-handlers.ts';
import { renderStrips } from './desk-strips.ts';

type Request = DeskRequest<DeskWork>;

export async function answerAudit({ desk, query, visit }: Request): Promise<DeskAnswer> {
  const before = /^[1-9]\d{0,14}$/.exec(query.get('before') ?? '')?.[0];
  const audit = await desk.watch.ask(
    async () => await desk.office.readAudit(before === undefined ? undefined : Number(before)),
    () => undefined,
  );
  const main = renderAuditPage({ audit, visit, staff: desk.staff, now: desk.watch.readClock() });
  return { page: { title: 'Desk: log', nav: 'log', main, strip: renderStrips(desk, visit) } };
}

export async function answerAuditAccepted({ desk, form }: Request): Promise<DeskAnswer> {
  await desk.office.acceptAudit(readText(form, 'head').slice(0, 100));
  desk.say({ strong: 'Remembered.', text: 'The desk goes on from the log as it is now.' });
  return { redirect: '/log' };
}
