/** Reads everything in a case that a buyer can see. */
import type { AgentCase, ApiAgent } from '#test/api/api-testbed.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import type { TestShop } from '#test/test-shop.ts';
import { SEALED_CASE_PATHS } from '#wire/case-page.ts';
import { postFormFields, postFromScript } from './plain-form.ts';

export async function lookAround(
  shop: Pick<TestShop, 'get'>,
  agent: ApiAgent,
  { id, form: { keys, words } }: AgentCase,
) {
  const lookup = { lookup_token: keys.lookupToken };
  const file = { kind: 'finding-file.v1', seq: '0' };
  // Omits the text of a refusal, because it contains the request id.
  const show = ({ status, text }: HttpsResponse) => ({ status, text: status === 404 ? '' : text });
  const { json: list } = await agent.request('GET', '/cases');
  return {
    detail: (await agent.request('GET', `/cases/${id}`)).json,
    listed: (list['cases'] as { id: string }[]).find((each) => each.id === id),
    messages: (await agent.request('GET', `/cases/${id}/messages`)).json,
    sealed: show(await postFromScript(shop, SEALED_CASE_PATHS.open, lookup)),
    sealedFile: show(await postFromScript(shop, SEALED_CASE_PATHS.file, { ...lookup, ...file, seq: 0 })),
    page: show(await postFormFields(shop, '/case', { words })),
    file: show(await postFormFields(shop, '/case/file', { words, ...file })),
  };
}
