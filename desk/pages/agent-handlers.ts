/** Answers for agents: the list, one of them, and what an owner decides. */
import type { DeskAnswer, DeskRequest } from '#desk-program/loopback/page-route.ts';
import { GRANT_CHOICES, pickChoices, SCOPE_CHOICES } from '#desk-program/model/agent-access.ts';
import {
  type AgentDecision,
  describeAgentState,
  isPendingAgent,
  LOST_BY_DECISION,
} from '#desk-program/model/agent-states.ts';
import type { DeskWork } from '#desk-program/model/desk-work.ts';
import { OfficeFault } from '#desk-program/office/office-fault.ts';
import type { DeskAgentDecision } from '#wire/desk-office.ts';
import { type AgentListView, nameAgent, renderAgentListPage } from './agent-list.ts';
import { renderAgentPage } from './agent-page.ts';
import { readText } from './case-handlers.ts';
import { renderOwnersOnly } from './column-page.ts';
import { renderStrips } from './desk-strips.ts';

type Request = DeskRequest<DeskWork>;

const FRAME = { title: 'Desk: agents', nav: 'agents' } as const;

export async function answerAgents({ desk, visit }: Request): Promise<DeskAnswer> {
  if (!(await desk.isOwner())) return answerOthers(desk, visit);
  const main = renderAgentListPage(await readAgentList(desk));
  return { page: { ...FRAME, main, strip: renderStrips(desk, visit) } };
}

export async function answerAgent(request: Request): Promise<DeskAnswer> {
  return await answerAgentPage(request, null);
}

function answerOthers(desk: DeskWork, visit: Request['visit']): DeskAnswer {
  const main = renderOwnersOnly('Agents', 'Programs that ask to use the office’s API.');
  return { page: { ...FRAME, main, strip: renderStrips(desk, visit) } };
}

async function answerAgentPage(request: Request, refusal: string | null): Promise<DeskAnswer> {
  const { desk, visit, params } = request;
  if (!(await desk.isOwner())) return answerOthers(desk, visit);
  const list = await readAgentList(desk);
  const agent = list.agents.find(({ registration_id: id }) => id === params['id']);
  if (!agent) throw new OfficeFault('refused', 'There is no such agent, or not any more.');
  const main = renderAgentPage({ agent, list, visit, refusal });
  const page = { ...FRAME, kind: 'in-case', main, strip: renderStrips(desk, visit) };
  return refusal === null ? { page } : { page, status: 409 };
}

async function readAgentList(desk: DeskWork): Promise<AgentListView> {
  const list = await desk.watch.ask(
    async () => await desk.office.listAgents(),
    () => undefined,
  );
  desk.recordCount('agents', list.agents.filter(isPendingAgent).length);
  return { ...list, now: desk.watch.readClock() };
}

/** The office decides what is possible; what it refuses is said on the page of the agent. */
export async function answerAgentDecision(request: Request): Promise<DeskAnswer> {
  const { desk, form, params } = request;
  const id = params['id'] ?? '';
  const decision = readDecision(form);
  if (decision === null) return { redirect: `/agents/${encodeURIComponent(id)}` };
  if ('refusal' in decision) return await answerAgentPage(request, decision.refusal);
  try {
    const agent = await desk.office.decideAgent(id, decision);
    desk.say({ strong: nameAgent(agent), text: describeAgentState(agent).done });
  } catch (error) {
    if (!(error instanceof OfficeFault) || error.code !== 'refused') throw error;
    return await answerAgentPage(request, error.message);
  }
  return { redirect: decision.decision === 'reject' ? '/agents' : `/agents/${id}` };
}

/** Null if the form is none of ours. */
function readDecision(form: FormData): DeskAgentDecision | { readonly refusal: string } | null {
  const names = ['approve', 'reject', 'suspend', 'rotate'] as const;
  const decision: AgentDecision | undefined = names.find((name) => name === readText(form, 'decision'));
  if (decision === undefined) return null;
  if (LOST_BY_DECISION[decision] && readText(form, 'sure') !== 'yes')
    return { refusal: 'You did not say that you are sure.' };
  if (decision !== 'approve') return { decision };
  const scopes = pickChoices(SCOPE_CHOICES, form.getAll('scope'));
  const grants = pickChoices(GRANT_CHOICES, form.getAll('grant'));
  if (scopes.length > 0 && grants.length > 0) return { decision, scopes, grants };
  return { refusal: 'Tick what it may do and for whom it acts: at least one of each.' };
}
