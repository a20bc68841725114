/** Serves auth.md, sealing.md, its vectors, the skill, its index (Agent Skills discovery 0.2.0), and all combined. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { fillPlaceholders, type PlaceholderValues } from '#content/placeholders.ts';
import { agentPaths } from '#platform/addresses.ts';
import type { App } from '#platform/http/app-type.ts';
import { createLazy, type Lazy } from '#platform/lazy.ts';
import type { GuideWay } from './guide-values.ts';
import { addPublicDocumentRoutes, type DescribedSite, serializeJson } from './public-document.ts';

const MARKDOWN = 'text/markdown; charset=utf-8';
const VECTORS = new URL('sealing-vectors.json', import.meta.url);
const SKILL_INDEX_SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';

/** Returns functions that read the texts: the MCP endpoint offers them as resources, and llms.txt includes one. */
export function addGuideRoutes(app: App, site: DescribedSite) {
  const guides = {
    readInstructions: createGuideReader('auth.md', site),
    readSealing: createGuideReader('sealing.md', site),
    readSteps: createGuideReader('steps.md', site),
    readToolSteps: createGuideReader('steps.md', site, 'mcp'),
  };
  const readSkill = createGuideReader('SKILL.md', site);
  for (const [path, type, createText] of [
    [agentPaths.instructions, MARKDOWN, guides.readInstructions],
    [agentPaths.sealing, MARKDOWN, guides.readSealing],
    [agentPaths.skill, MARKDOWN, readSkill],
    [
      agentPaths.llmsFull,
      'text/plain; charset=utf-8',
      async () => [await guides.readInstructions(), await readSkill(), await guides.readSealing()].join('\n'),
    ],
    [
      agentPaths.skills,
      'application/json',
      async () => serializeJson(indexSkill(await readSkill(), site.addresses.skill)),
    ],
    [agentPaths.sealingVectors, 'application/json', () => readFile(VECTORS, 'utf8')],
  ] as const)
    addPublicDocumentRoutes(app, { path, type, createText });
  return guides;
}

/** The values need the sealing code, so they are loaded for the first reader only. */
function createGuideReader(file: string, site: DescribedSite, way: GuideWay = 'http'): Lazy<string> {
  return createLazy(async () => {
    const { buildGuideValues } = await import('./guide-values.ts');
    const values = buildGuideValues(site, way);
    const steps = (await fillFile('steps.md', values)).trimEnd();
    return await fillFile(file, { ...values, steps });
  });
}

async function fillFile(file: string, values: PlaceholderValues): Promise<string> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  return fillPlaceholders(await readFile(path, 'utf8'), values, path);
}

function indexSkill(text: string, url: string) {
  const [, name, description = ''] = /^---\nname: (.+)\ndescription: (".+")\n---\n/.exec(text) ?? [];
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
  const skill = { name, description: JSON.parse(description) as string, type: 'skill-md', url, digest };
  return { $schema: SKILL_INDEX_SCHEMA, skills: [skill] };
}
