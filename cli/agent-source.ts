/** Registrations of agents: in the database beside a command, or at an office over the network. */
import { toAgentJson } from '#clients/agent-view.ts';
import {
  type ApprovedAccess,
  approveRegistration,
  rejectPendingRegistrations,
  rejectRegistration,
} from '#clients/approval.ts';
import { rotateClientSecret, suspendClient } from '#clients/client-decisions.ts';
import {
  type RedirectChange,
  requireChangedRedirectUris,
  updateRedirectUris,
} from '#clients/redirect-change.ts';
import { requireRegistrationWithClient } from '#clients/registration-decision.ts';
import type { DeskAgent } from '#desk-program/office/owner-office.ts';
import { createOwnerOffice } from '#desk-program/office/owner-requests.ts';
import { ServiceError } from '#platform/errors.ts';
import type { PageRequest } from '#platform/page-cursor.ts';
import { listPendingRegistrationIds, listRegistrations, type Registration } from '#store/registrations.ts';
import type { DeskAgentDecision } from '#wire/desk-office.ts';
import { type KeyedCliServices, withStoreAndKeyring } from './cli-services.ts';
import { type OfficeLink, withOfficeLink } from './office-link.ts';
import type { OfficeAccess } from './pinning-key.ts';

/** The same at the door and here. */
export type AgentView = DeskAgent;
type Decision = DeskAgentDecision['decision'];

export interface AgentSource {
  /** The oldest first. */
  readonly listAgents: (
    status: Registration['status'] | undefined,
    page: PageRequest,
  ) => Promise<readonly AgentView[]>;
  /** By the id of the registration or of the client. */
  readonly requireAgent: (id: string) => Promise<AgentView>;
  readonly decide: (id: string, decision: Decision, choice?: ApprovedAccess | null) => Promise<AgentView>;
  readonly updateRedirects: (id: string, change: RedirectChange) => Promise<AgentView>;
  readonly listPendingIds: () => Promise<readonly string[]>;
  /** Returns those that were still pending. */
  readonly rejectPending: (ids: readonly string[]) => Promise<readonly string[]>;
}

export async function withAgentSource<Result>(
  access: OfficeAccess | null,
  work: (source: AgentSource) => Promise<Result>,
): Promise<Result> {
  if (access) return await withOfficeLink(access, (link) => work(createOfficeAgents(link)));
  return await withStoreAndKeyring((services) => work(createStoredAgents(services)));
}

function createStoredAgents(services: KeyedCliServices): AgentSource {
  const { records } = services.store;
  const decisions = { reject: rejectRegistration, suspend: suspendClient, rotate: rotateClientSecret };
  const requireAgent = async (id: string) =>
    toAgentJson(services, await requireRegistrationWithClient(records, id));
  return {
    listAgents: async (status, page) => {
      const rows = await listRegistrations(records, status, page);
      return await Promise.all(rows.map(({ id }) => requireAgent(id)));
    },
    requireAgent,
    decide: async (id, decision, choice = null) =>
      toAgentJson(
        services,
        decision === 'approve'
          ? await approveRegistration(services, id, choice, null)
          : await decisions[decision](services, id, null),
      ),
    updateRedirects: async (id, change) =>
      toAgentJson(services, await updateRedirectUris(services, id, change, null)),
    listPendingIds: () => listPendingRegistrationIds(records),
    rejectPending: (ids) => rejectPendingRegistrations(services, ids, null),
  };
}

function createOfficeAgents({ signer }: OfficeLink): AgentSource {
  const office = createOwnerOffice(signer);
  const listAll = async () => (await office.listAgents()).agents;
  const requireAgent = async (id: string): Promise<AgentView> => {
    const agent = (await listAll()).find((each) => each.registration_id === id || each.client_id === id);
    if (!agent) throw new ServiceError('not_found', { detail: 'There is no such registration or client.' });
    return agent;
  };
  const listPendingIds = async () =>
    (await listAll()).filter(({ state }) => state === 'pending').map((agent) => agent.registration_id);
  return {
    listAgents: async (status, { limit, after }) =>
      (await listAll())
        .filter((agent) => status === undefined || getRegistrationStatus(agent) === status)
        .filter((agent) => !after || isAfter(agent, after))
        .slice(0, limit),
    requireAgent,
    decide: async (id, decision, choice) => {
      const { registration_id: registration } = await requireAgent(id);
      const access = choice && { scopes: [...choice.scopes], grants: [...choice.grants] };
      return await office.decideAgent(registration, { decision, ...access });
    },
    updateRedirects: async (id, { add, remove }) => {
      const { registration_id: registration, redirect_uris: current } = await requireAgent(id);
      // The office checks it again; what it says is not shown here.
      requireChangedRedirectUris(current, { add, remove });
      return await office.updateAgentRedirects(registration, { add: [...add], remove: [...remove] });
    },
    listPendingIds,
    rejectPending: async (ids) => {
      const pending = new Set(await listPendingIds());
      const rejected = ids.filter((id) => pending.has(id));
      for (const id of rejected) await office.decideAgent(id, { decision: 'reject' });
      return rejected;
    },
  };
}

/** The door tells the state of the client where there is one. */
function getRegistrationStatus({ state }: AgentView): string {
  if (state === 'rotating') return 'approved';
  return state === 'active' || state === 'suspended' ? 'collected' : state;
}

function isAfter(agent: AgentView, { at, id }: NonNullable<PageRequest['after']>): boolean {
  const time = getAgentTime(agent);
  return time > at || (time === at && agent.registration_id > id);
}

export function getAgentTime({ created_at: created }: AgentView): number {
  return Date.parse(created ?? '') || 0;
}
