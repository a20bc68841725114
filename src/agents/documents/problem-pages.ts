/** Serves the page that the `type` of every problem points to; it explains the code, and what to do. */
import { Type } from 'typebox';
import { problemAdvice } from '#agents/documents/problem-advice.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import { type ProblemCode, problemKinds } from '#platform/problems.ts';

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
      if (!Object.hasOwn(problemKinds, code)) throw new ServiceError('not_found');
      return reply.type(PLAIN_TEXT).send(formatProblemExplanation(code as ProblemCode));
    },
  );
}

function formatProblemExplanation(code: ProblemCode): string {
  const { status, title, detail, retryAfter } = problemKinds[code];
  const { retry, todo } = problemAdvice[code];
  const pause = retryAfter ? `, after about ${retryAfter} seconds` : '';
  return `${title}

code: ${code}
status: ${status}
retry: ${retrySentences[retry]}${pause}

${detail}

What to do: ${todo}
`;
}

const retrySentences: Readonly<Record<(typeof problemAdvice)[ProblemCode]['retry'], string>> = {
  later: 'yes, the same request',
  changed: 'yes, once something is changed',
  no: 'no',
};
