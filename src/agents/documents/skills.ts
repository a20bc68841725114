/** Serves the index of skills (Agent Skills discovery 0.2.0) and the one skill: from a question to its finding. */
import { createHash } from 'node:crypto';
import { DEFAULT_KEEP_DAYS } from '#cases/retention.ts';
import { DELIVERY_HOURS, tierNames } from '#payments/tiers.ts';
import { agentPaths, type PublicAddresses } from '#platform/addresses.ts';
import type { App } from '#platform/http/app.ts';
import { addPublicDocumentRoutes, serializeJson } from './public-document.ts';

const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';

interface Skill {
  readonly name: string;
  readonly description: string;
}

export function addSkillRoutes(app: App, addresses: PublicAddresses, siteName: string): void {
  const skill: Skill = {
    name: agentPaths.skill.split('/').at(-2) ?? '',
    description: `Buys a confidential inquiry from ${siteName}, submits it, follows its case and reads the finding. Use it when somebody wants to know who is behind an account, a message, a phone number or a business, from public information and for a lawful purpose.`,
  };
  const createSkillText = () => formatSkill(skill, addresses, siteName);
  addPublicDocumentRoutes(app, {
    path: agentPaths.skill,
    type: 'text/markdown; charset=utf-8',
    createText: createSkillText,
  });
  addPublicDocumentRoutes(app, {
    path: agentPaths.skills,
    type: 'application/json',
    createText: () => {
      const digest = `sha256:${createHash('sha256').update(createSkillText()).digest('hex')}`;
      return serializeJson({
        $schema: SCHEMA,
        skills: [{ ...skill, type: 'skill-md', url: addresses.skill, digest }],
      });
    },
  });
}

/** JSON is a part of YAML, so any name of a site can be quoted in the first lines. */
function formatSkill({ name, description }: Skill, addresses: PublicAddresses, siteName: string): string {
  const { api, docs, mcp, openapi, registration, sealing } = addresses;
  return `---
name: ${name}
description: ${JSON.stringify(description)}
---

# From a question to its finding

${siteName} answers one question for each purchase, in writing, within ${DELIVERY_HOURS} hours. A person pays; you can do all the rest.

## Before you begin

- First say who will read it: the investigators, and whoever the table below names. Then ask the person for the question and what
  they have already, whether anyone is in danger, and whether the purpose is lawful; declare neither for them. If somebody is in
  danger right now, tell them to call their local emergency number first. What is refused: ${addresses.site}/terms
- A client of the Model Context Protocol has all of this as tools: ${mcp}
- You need a token with \`case:read\` and \`case:write\`. ${registration} says how to register once, and how to get one. Somebody
  approves the registration, so it is not done in a minute.
- Every operation with its fields: ${openapi}, or to read ${addresses.markdown(agentPaths.docs)}

## Steps

1. \`GET ${api}/stripe/status\`. Go on only with \`"configured": true\`.
2. \`GET ${api}/pricing\`. Tell the person the price, show them the terms, and go on only if they agree; keep
   \`terms_version\`. The services are ${tierNames.join(', ')}.
3. \`POST ${api}/stripe/checkout\` with \`{"tier": "${tierNames[0]}"}\`, the token and an \`Idempotency-Key\`. Show \`url\` to the person,
   who pays there; never ask for card data. \`Location\` is the address of the order.
4. Ask for the order until its \`status\` is \`paid\`. \`held\`: somebody checks the payment, for hours; nobody pays again. \`expired\`,
   \`refunded\`: it will never be paid; ask the person whether to go on.
5. Choose who seals, below, and submit the inquiry with \`POST ${api}/inquiries\`.
6. Store the twelve words and give them to the person: they open the case, here and on ${addresses.site}/case. Nobody can
   replace them. The service makes them, or a random generator of your program; never choose words yourself.
7. \`GET ${api}/cases/{case}\`, at most once a minute; every ten minutes will do. \`awaiting_client\` means that an investigator has asked: show
   the question to the person and send the answer. \`declined\` and \`withdrawn\` are ends without a finding: tell the person, and stop.
8. \`delivered\`: read the finding, and show it to nobody else. The case is purged ${DEFAULT_KEEP_DAYS} days after that.

## Who seals

| | submit | read and answer | who sees the text |
|---|---|---|---|
| you, by ${sealing} | \`sealed\` in \`POST /inquiries\` | open the messages and the finding yourself | you and the investigators |
| \`office-agent\`, a program that comes with the source of the service | its command \`run\` does all the steps | the same | the same |
| the service | \`plain\` in \`POST /inquiries\`; the answer has the words | \`POST /cases/{case}/plain\` with \`{"words": "…"}\`, \`…/plain/messages\` with \`text\`, \`…/plain/files/{file}\` | also the server, for the moment of each request |

If you are a language model without a program of your own, take the last one, and tell the person that the story and the words pass
through whoever runs you.

## If something is refused

Errors are problem details: act on \`code\`, and read \`detail\` and the page at \`type\`. After 429 and 503 wait as \`Retry-After\` says, then send the
same request with the same \`Idempotency-Key\`. People read more at ${docs}.
`;
}
