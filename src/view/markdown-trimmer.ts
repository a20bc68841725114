/** A plugin of the bundler that leaves out the part of the Markdown library that makes HTML, a third of its size. */
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** The library ends by creating an instance of everything; the bundler cannot know that nobody needs it. */
const FINAL_PART = /var ([\w$]+)=new [\w$]+;function [\w$]+\([^)]*\)\{return \1\.parse\([\s\S]*$/;
const KEPT_EXPORTS = /[\w$]+ as (?:Lexer|Tokenizer)\b/g;

/** A version of another shape is bundled as it is; the test of the size of the scripts notices. */
export const markdownTrimmer: Plugin = {
  name: 'markdown-trimmer',
  setup: (build) => {
    build.onLoad({ filter: /\bmarked\.esm\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      return {
        contents: source.replace(FINAL_PART, (part) => `export{${part.match(KEPT_EXPORTS)?.join() ?? ''}}`),
      };
    });
  },
};
