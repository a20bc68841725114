/** Agents over HTTP, for owners: their registrations, and what is decided about them. */
import { createFieldError } from '#cases/intake/field-problems.ts';
import {
  type ApprovedAccess,
  approveRegistration,
  type RegistrationWithClient,
  rejectRegistration,
  requireRegistrationWithClient,
  rotateClientSecret,
  suspendClient,
  toAgentJson,
} from '#clients/registration-decision.ts';
import { grantTypes } from '#platform/grant-types.ts';
import type { App } from '#platform/http/app-type.ts';
import { readListPage } from '#platform/page-cursor.ts';
import { SCOPES } from '#platform/scopes.ts';
import { ID_PATTERN } from '#platform/text/id-pattern.ts';
import { listRegistrations } from '#store/clients/registrations.ts';
import { type DeskAgentDecision, DeskAgentDecisionSchema, type DeskAgents } from '#wire/desk-lists.ts';
import { type DeskServices, OWNER_ACCESS, requireInvestigator } from './guard.ts';
import { DeskPageQuerySchema, parseDeskPage } from './lists.ts';

type DecisionWork = (
  services: DeskServices,
  id: string,
  by: string,
  choice: ApprovedAccess | null,
) => Promise<RegistrationWithClient>;

const works: Readonly<Record<DeskAgentDecision['decision'], DecisionWork>> = {
  approve: (services, id, by, choice) => approveRegistration(services, id, choice, by),
  reject: rejectRegistration,
  suspend: suspendClient,
  rotate: rotateClientSecret,
};

export function addDeskAgentRoutes(scope: App, services: DeskServices): void {
  const { records } = services.store;
  scope.get(
    '/agents',
    { config: OWNER_ACCESS, schema: { querystring: DeskPageQuerySchema } },
    async (request): Promise<DeskAgents> => {
      const { rows, next } = await readListPage(
        parseDeskPage(request.query),
        (page) => listRegistrations(records, undefined, page),
        ({ created_at: at }) => at,
      );
      const agents = await Promise.all(rows.map(({ id }) => requireRegistrationWithClient(records, id)));
      return { agents: agents.map((agent) => toAgentJson(services, agent)), next };
    },
  );
  scope.post<{ Params: { readonly agent: string }; Body: DeskAgentDecision }>(
    `/agents/:agent(^${ID_PATTERN}$)`,
    { config: OWNER_ACCESS, schema: { body: DeskAgentDecisionSchema } },
    async (request) => {
      const { holder } = requireInvestigator(request);
      const choice = parseChoice(request.body);
      const decided = await works[request.body.decision](services, request.params.agent, holder, choice);
      return toAgentJson(services, decided);
    },
  );
}

function parseChoice({ decision, scopes, grants }: DeskAgentDecision): ApprovedAccess | null {
  if (scopes === undefined && grants === undefined) return null;
  if (decision !== 'approve' || !scopes || !grants)
    throw createFieldError('/scopes', 'is allowed only with approve and with grants');
  return {
    scopes: requireNames(scopes, SCOPES, '/scopes'),
    grants: requireNames(grants, grantTypes, '/grants'),
  };
}

function requireNames<Name extends string>(
  given: readonly string[],
  known: readonly Name[],
  pointer: string,
): Name[] {
  const names = known.filter((name) => given.includes(name));
  if (given.every((name) => (known as readonly string[]).includes(name))) return names;
  throw createFieldError(pointer, `contains names other than ${known.join(', ')}`);
}
