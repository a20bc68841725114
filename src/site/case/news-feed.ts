/** Answers feed readers (Atom, RFC 4287): whether something is new, always in as many bytes. */
import { Type } from 'typebox';
import { type NewsFeed, readNewsFeed } from '#cases/news-feed.ts';
import type { Say } from '#language/catalogue.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { toIsoTime } from '#platform/iso-time.ts';
import type { Services } from '#services.ts';
import { html } from '#view/html.ts';
import { negotiateLanguage } from '#view/request-language.ts';
import { NEWS_PATH } from '#wire/case-page.ts';

const ATOM_MEDIA_TYPE = 'application/atom+xml';
const NewsParams = Type.Object({ token: Type.String({ maxLength: 64 }) });

export function addNewsFeedRoutes(app: App, services: Pick<Services, 'clock' | 'store'>): void {
  app.get(
    `${NEWS_PATH}/:token`,
    { config: { access: 'public', produces: '*/*', budget: 'feeds' }, schema: { params: NewsParams } },
    async (request, reply) => {
      const feed = await readNewsFeed(services, request.params.token);
      if (!feed) throw new ServiceError('not_found');
      return reply
        .type(`${ATOM_MEDIA_TYPE}; charset=utf-8`)
        .header('x-robots-tag', 'noindex')
        .send(renderFeed(feed, negotiateLanguage(request).say));
    },
  );
}

/** Neither the site nor the case is named, and there is no link. */
function renderFeed({ isNew, updatedAt, entryId, feedId }: NewsFeed, say: Say): string {
  const texts = [say('notice.feed.nothing'), say('notice.feed.something')] as const;
  const text = texts[isNew ? 1 : 0];
  // Whoever sees the traffic, but not what is in it, learns nothing from the length.
  const padding = ' '.repeat(2 * (computeBytes(texts[0]) + computeBytes(texts[1]) - computeBytes(text)));
  const time = toIsoTime(updatedAt);
  const title = say('notice.feed.title');
  return `<?xml version="1.0" encoding="utf-8"?>\n${html`<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:uuid:${feedId}</id><title>${title}</title><updated>${time}</updated><author><name>${title}</name></author><entry><id>urn:uuid:${entryId}</id><title>${text}</title><updated>${time}</updated><content type="text">${text}</content></entry></feed>`}${padding}\n`;
}

function computeBytes(text: string): number {
  return Buffer.byteLength(text);
}
