/** Challenges and sessions over HTTP: how an investigator's desk signs in and out. */
import { Type } from 'typebox';
import type { App } from '#platform/http/app.ts';
import { deleteDeskSession } from '#store/desk-sessions.ts';
import {
  DeskChallengeRequestSchema,
  DeskChallengeSchema,
  DeskSessionRequestSchema,
  DeskSessionSchema,
} from '#wire/desk-session.ts';
import type { DeskServices } from './desk-services.ts';
import { createDeskChallenge, openDeskSession } from './desk-sign-in.ts';
import { requireInvestigator, withDeskChallenge } from './guard.ts';

export function addDeskSessionRoutes(scope: App, services: DeskServices): void {
  scope.post(
    '/challenges',
    {
      config: { access: 'public', budget: 'deskChallenges' },
      schema: { body: DeskChallengeRequestSchema, response: { 201: DeskChallengeSchema } },
    },
    async (request, reply) => {
      reply.code(201);
      return await createDeskChallenge(services, request.body.recipient);
    },
  );
  scope.post(
    '/sessions',
    {
      config: { access: 'public', budget: 'deskSignIns' },
      schema: { body: DeskSessionRequestSchema, response: { 201: DeskSessionSchema } },
    },
    async (request, reply) => {
      reply.code(201);
      return await openDeskSession(services, request, request.body).catch((error: unknown) => {
        throw withDeskChallenge(error);
      });
    },
  );
  scope.delete(
    '/sessions',
    { config: { access: 'desk' }, schema: { response: { 204: Type.Null() } } },
    async (request, reply) => {
      const { sessionId } = requireInvestigator(request);
      await services.store.transaction((records) => deleteDeskSession(records, sessionId));
      return reply.code(204).send(null);
    },
  );
}
