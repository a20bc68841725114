/** Acts of investigators that need nothing sealed, over HTTP. */
import { applyCallStep } from '#cases/call-steps.ts';
import { releaseCase, takeCase, takeOverCase } from '#cases/case-holder.ts';
import { purgeCaseNow } from '#cases/purge.ts';
import { requestPurge, undoPurge } from '#cases/purge-request.ts';
import { takeBackDelivery } from '#cases/take-back.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import type { Case } from '#store/cases.ts';
import { type DeskActRequest, DeskActRequestSchema } from '#wire/desk-cases.ts';
import { DESK_CASE_PATH, type DeskCaseParams } from './case-paths.ts';
import { describeActResult } from './desk-case.ts';
import type { DeskServices } from './desk-services.ts';
import { isOwner, requireInvestigator } from './guard.ts';

type ActName = DeskActRequest['act'];
type ActWork = (services: DeskServices, id: string, holder: string) => Promise<Case | null>;

/** Null for a case that is gone. */
const works: Readonly<Record<ActName, ActWork>> = {
  take: takeCase,
  take_over: takeOverCase,
  let_go: releaseCase,
  offer_call: (services, id, holder) => applyCallStep(services, id, 'offer', holder),
  hold_call: (services, id, holder) => applyCallStep(services, id, 'hold', holder),
  take_back: takeBackDelivery,
  purge: requestPurge,
  undo_purge: undoPurge,
  purge_now: async (services, id, holder) => {
    await purgeCaseNow(services, id, 'desk', holder);
    return null;
  },
};

export function addDeskActRoutes(scope: App, services: DeskServices): void {
  scope.post<{ Params: DeskCaseParams; Body: DeskActRequest }>(
    `${DESK_CASE_PATH}/acts`,
    { config: { access: 'desk' }, schema: { body: DeskActRequestSchema } },
    async (request) => {
      const investigator = requireInvestigator(request);
      const { act } = request.body;
      if (act === 'purge_now' && !isOwner(investigator)) throw new ServiceError('owner_only');
      const changed = await works[act](services, request.params.case, investigator.holder);
      return await describeActResult(services, changed, investigator);
    },
  );
}
