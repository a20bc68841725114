/** Serves the page that the `type` of every problem points to; it explains the code. */
import { Type } from 'typebox';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { getProblemKind, type ProblemCode, problemKinds } from '#platform/problems.ts';

const PLAIN_TEXT = 'text/plain; charset=utf-8';

export function addProblemRoutes(app: App): void {
  app.get(
    '/problems/:code',
    {
      config: { access: 'public', produces: '*/*' },
      schema: { params: Type.Object({ code: Type.String() }) },
    },
    async (request, reply) => {
      const { code } = request.params;
      if (!isProblemCode(code)) throw new ServiceError('not_found');
      return reply.type(PLAIN_TEXT).send(formatProblemExplanation(code));
    },
  );
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problemKinds, code);
}

function formatProblemExplanation(code: ProblemCode): string {
  const { status, title, detail, retryAfter } = getProblemKind(code);
  const retryAdvice = retryAfter ? `\nTry again after about ${retryAfter} seconds.` : '';
  return `${title}\n\ncode: ${code}\nstatus: ${status}\n\n${detail}${retryAdvice}\n`;
}
