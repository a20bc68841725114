/** Lists the public keys that callers seal to. */
import { Type } from 'typebox';
import type { App } from '#platform/http/app.ts';
import { describeObject, HashText } from '#platform/http/shapes.ts';
import type { Services } from '#services.ts';

const Recipient = Type.String({
  pattern: '^age1pq1[a-z0-9]+$',
  description: 'A post-quantum age recipient.',
});
const SealingKeys = describeObject(
  {
    desk: Type.Array(Recipient, {
      minItems: 1,
      maxItems: 100,
      description: 'One key for each investigator.',
    }),
    recovery: Recipient,
    set: Type.String({
      ...HashText,
      description: 'Tells these keys from any others; send it as `sealing_set` with what you sealed.',
    }),
  },
  {
    title: 'SealingKeys',
    examples: [{ desk: ['age1pq1desk'], recovery: 'age1pq1recovery', set: 'A'.repeat(43) }],
  },
);

export function addSealingKeyRoutes(app: App, { sealingKeys }: Pick<Services, 'sealingKeys'>): void {
  app.get(
    '/sealing-keys',
    {
      config: { access: 'public', anyOrigin: true },
      schema: {
        operationId: 'getSealingKeys',
        tags: ['inquiries'],
        summary: 'Lists the public keys to seal to',
        description:
          'Seal the key of a case to every `desk` key, to `recovery` and to the words; seal a contact message to every `desk` key. Fetch the keys again for each inquiry, because they change.',
        response: { 200: SealingKeys },
      },
    },
    async () => {
      const { desk, recovery, set } = await sealingKeys;
      return { desk: [...desk], recovery, set };
    },
  );
}
