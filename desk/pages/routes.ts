/** Every page of the unlocked desk with its method and path. */
import { loadDeskAssets } from '#desk/loopback/desk-assets.ts';
import type { DeskAnswer, DeskRoute } from '#desk/loopback/page-route.ts';
import type { DeskWork, WorkRequest } from '#desk/model/desk-work.ts';
import { answerAgent, answerAgentDecision, answerAgents } from './agents/agent-handlers.ts';
import { answerAudit, answerAuditAccepted } from './audit-handlers.ts';
import { answerCase, answerClosedCase, answerPurge } from './case/case-handlers.ts';
import { answerFile } from './case/file-handlers.ts';
import {
  answerCall,
  answerDecline,
  answerDrafts,
  answerKeep,
  answerMessage,
  answerNote,
} from './case/reply-handlers.ts';
import { answerContact, answerContactDone, answerContactList } from './contact/contact-handlers.ts';
import { renderStrips } from './desk-strips.ts';
import { answerActs, answerFinding, answerWrite } from './finding/finding-handlers.ts';
import { answerNumbers } from './numbers-handlers.ts';
import { answerOrderDone, answerOrderRelease, answerOrders, answerRefundDone } from './order-handlers.ts';
import { answerPeople } from './people-handlers.ts';
import { answerPeopleConfirmed, answerQueue } from './queue/queue-handlers.ts';
import { answerOpenOwn, answerSearch } from './queue/search-handlers.ts';

const routes: readonly DeskRoute<DeskWork>[] = [
  { method: 'GET', path: '/favicon.ico', answer: answerBrowserIcon },
  { method: 'GET', path: '/queue', answer: answerQueue },
  { method: 'POST', path: '/search', answer: answerSearch },
  { method: 'POST', path: '/people/confirm', answer: answerPeopleConfirmed },
  { method: 'POST', path: '/cases/open', answer: answerOpenOwn },
  { method: 'GET', path: '/cases/:id', answer: answerCase },
  { method: 'GET', path: '/cases/:id/closed', answer: answerClosedCase },
  { method: 'POST', path: '/cases/:id/acts', answer: answerActs },
  { method: 'POST', path: '/cases/:id/messages', answer: answerMessage },
  { method: 'POST', path: '/cases/:id/decline', answer: answerDecline },
  { method: 'POST', path: '/cases/:id/keep', answer: answerKeep },
  { method: 'POST', path: '/cases/:id/call', answer: answerCall },
  { method: 'POST', path: '/cases/:id/notes', answer: answerNote },
  { method: 'POST', path: '/cases/:id/drafts', answer: answerDrafts },
  { method: 'POST', path: '/cases/:id/purge', answer: answerPurge },
  { method: 'POST', path: '/cases/:id/files/:kind/:seq', answer: answerFile },
  { method: 'GET', path: '/cases/:id/finding', answer: answerWrite },
  { method: 'POST', path: '/cases/:id/finding', answer: answerFinding },
  { method: 'GET', path: '/contact', answer: answerContactList },
  { method: 'GET', path: '/contact/:id', answer: answerContact },
  { method: 'POST', path: '/contact/:id/done', answer: answerContactDone },
  { method: 'GET', path: '/agents', answer: answerAgents },
  { method: 'GET', path: '/agents/:id', answer: answerAgent },
  { method: 'POST', path: '/agents/:id', answer: answerAgentDecision },
  { method: 'GET', path: '/orders', answer: answerOrders },
  { method: 'POST', path: '/orders/:id/done', answer: answerOrderDone },
  { method: 'POST', path: '/refunds/:id/done', answer: answerRefundDone },
  { method: 'POST', path: '/orders/:id/release', answer: answerOrderRelease },
  { method: 'GET', path: '/people', answer: answerPeople },
  { method: 'GET', path: '/numbers', answer: answerNumbers },
  { method: 'GET', path: '/log', answer: answerAudit },
  { method: 'POST', path: '/log/accept', answer: answerAuditAccepted },
];

export const deskRoutes = routes.map(
  (route): DeskRoute<DeskWork> => ({
    ...route,
    answer: async (request) => addStrips(request, await route.answer(request)),
  }),
);

/** Every page begins with the strips, except one that is sent in parts: it ends with them. */
function addStrips({ desk, visit }: WorkRequest, answer: DeskAnswer): DeskAnswer {
  if (!('page' in answer) || Symbol.asyncIterator in answer.page.main) return answer;
  return { ...answer, page: { ...answer.page, strip: renderStrips(desk, visit) } };
}

/** The mark, where browsers look for it if a page names none. */
async function answerBrowserIcon(): Promise<DeskAnswer> {
  const { icon } = await loadDeskAssets();
  return { redirect: icon.path };
}
