/** Acts of investigators that need nothing sealed, over HTTP. */
import { bareActs } from '#cases/desk/desk-acts.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { type DeskActRequest, DeskActRequestSchema } from '#wire/desk-cases.ts';
import { DESK_CASE_PATH, type DeskCaseParams } from './case-paths.ts';
import { describeActResult } from './case-view.ts';
import type { DeskServices } from './desk-services.ts';
import { isOwner, requireInvestigator } from './guard.ts';

export function addDeskActRoutes(scope: App, services: DeskServices): void {
  scope.post<{ Params: DeskCaseParams; Body: DeskActRequest }>(
    `${DESK_CASE_PATH}/acts`,
    { config: { access: 'desk' }, schema: { body: DeskActRequestSchema } },
    async (request) => {
      const investigator = requireInvestigator(request);
      const { act, to } = request.body;
      if (act === 'purge_now' && !isOwner(investigator)) throw new ServiceError('owner_only');
      const colleague = (await services.deskPeople()).find(({ holder }) => holder === to);
      if ((act === 'hand_over') !== (colleague !== undefined))
        throw new ServiceError('validation_failed', {
          errors: [{ pointer: '/to', detail: 'names a person of the desk, with hand_over only' }],
        });
      const changed = await bareActs[act](services, request.params.case, investigator.holder, to ?? '');
      return await describeActResult(services, changed, investigator);
    },
  );
}
