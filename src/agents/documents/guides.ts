/** Serves auth.md, sealing.md, its vectors, the skill, its index (Agent Skills discovery 0.2.0), and all combined. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { fillPlaceholders, type PlaceholderValues } from '#content/placeholders.ts';
import { agentPaths } from '#platform/addresses.ts';
import type { App } from '#platform/http/app.ts';
import { createLazy, type Lazy } from '#platform/lazy.ts';
import type { GuideSite, GuideWay } from './guide-values.ts';
import { addPublicDocumentRoutes, serializeJson } from './public-document.ts';

const MARKDOWN = 'text/markdown; charset=utf-8';
const SKILL_INDEX_SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';

/** Returns functions that read the texts: the MCP endpoint offers them as resources, and llms.txt includes one. */
export function addGuideRoutes(app: App, site: GuideSite) {
  const guides = {
    readInstructions: createGuideReader('auth.md', site),
    readSealing: createGuideReader('sealing.md', site),
    readSteps: createGuideReader('steps.md', site),
    readToolSteps: createGuideReader('steps.md', site, 'mcp'),
  };
  const readSkill = createGuideReader('SKILL.md', site);
  addPublicDocumentRoutes(app, {
    path: agentPaths.llmsFull,
    type: 'text/plain; charset=utf-8',
    createText: async () =>
      [await guides.readInstructions(), await readSkill(), await guides.readSealing()].join('\n'),
  });
  for (const [path, createText] of [
    [agentPaths.instructions, guides.readInstructions],
    [agentPaths.sealing, guides.readSealing],
    [agentPaths.skill, readSkill],
  ] as const)
    addPublicDocumentRoutes(app, { path, type: MARKDOWN, createText });
  addPublicDocumentRoutes(app, {
    path: agentPaths.skills,
    type: 'application/json',
    createText: async () => serializeJson(indexSkill(await readSkill(), site.addresses.skill)),
  });
  addPublicDocumentRoutes(app, {
    path: agentPaths.sealingVectors,
    type: 'application/json',
    createText: async () => await readFile(new URL('sealing-vectors.json', import.meta.url), 'utf8'),
  });
  return guides;
}

/** The values need the sealing code, so they are loaded for the first reader only. */
function createGuideReader(file: string, site: GuideSite, way: GuideWay = 'http'): Lazy<string> {
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
