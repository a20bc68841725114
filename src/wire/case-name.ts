/** A name for a case that people can say: two words, derived from the first two bytes of its id. */

/** Must never change, or cases would get other names. */
export const CASE_ADJECTIVES: readonly string[] =
  `agile airy alpine amber ample aqua arched ashen auburn azure balmy basalt beaded beige boreal bouncy braided
  brassy breezy broad bubbly buoyant bushy buttery carmine carved cerise chalky cheery chrome citrus classic
  cloudy coastal cobalt cobbled compact corded cordial cosy creamy crested crimson cubic curly curved cyan
  dainty dappled daylit deft denim dewy dotted downy dusky dusty earthen ebony elastic emerald enamel faded
  fallow feathery festive fiery flannel flaxen fleecy flinty floating floral fluffy fluted foamy folded frosty
  fuzzy gauzy genial gilded gingham glassy gleaming glossy glowing golden graceful grassy grey handy harmonic
  hazy hearty heather homely honeyed hushed icy indigo inky inland jade jagged jasper jaunty jolly jovial khaki
  knotted lacy lapis lavender layered leafy lime linen lively lofty lucid luminous lush magenta magnetic
  mahogany marbled maroon mauve mellow midday mild milky minty misty modest moonlit mossy mottled muted nautical
  navy neat nimble northern nutty oaken oblong ochre onyx opal ornate paisley pale papery pastel peachy pearly
  pebbled peppery pewter placid plaid plaited plumed plush pointed polished pristine quaint quilted radiant
  rainy ribbed rolling roomy rosy rounded ruby russet rustic sable saffron sage sandy satin scarlet seaside
  sepia serene shaded shady shiny sienna silken slate sleek sloping smoky snowy snug sonic southern speckled
  spiral spotted springy spry stately steady stellar stony striped sturdy suede sunlit supple tapered tartan
  tawny teal tidy tinted topaz towering tranquil trusty tufted tuneful tweed twilit umber upbeat upland upright
  vanilla vaulted verdant vernal violet viridian watery wavy waxen western wheaten wicker winding windy wintry
  wispy wooded woolly woven zesty zigzag`.split(/\s+/);

/** Must never change, or cases would get other names. */
export const CASE_NOUNS: readonly string[] =
  `acorn alcove alder almond anvil apricot arbour aspen aster atlas attic awning banjo barley barn basil basin
  bayou beacon beaker bellows birch bluff bonnet bookcase boulder bramble brook bucket buckle bugle cairn candle
  canopy caravan cardigan carousel cedar cello chalet chestnut chisel clarinet cloak clover comet compass copse
  cornet cottage crayon crocus cymbal daffodil dahlia daisy dale decanter delta dome doorway easel elm emblem
  estuary fennel fern ferry fiddle fjord flagon flask flute foothill fountain foxglove freesia fresco furrow
  gable galleon garland garnet gazebo geyser glacier glade glen goblet granary granite grove hamlet hammock
  harbour harp haven hawthorn hazel hearth heath hillock hinge holly horizon iris jasmine jetty jigsaw juniper
  kayak keel kernel kettle kiln kiosk knoll ladle lagoon lantern larch lattice laurel ledge lichen lilac lily
  linden locket lodge loft loom lotus lute mallet mandolin mantel marigold marina mitten moat moor mosaic moss
  mulberry nettle notebook nutmeg oar oasis oboe orchid outpost pagoda palette pansy parasol parsley pasture
  patio pavilion peak pebble pennant peony pergola pier pillar pine pinnacle pitcher plateau plaza plinth poplar
  poppy porch portal postcard prairie primrose prism quarry quartz quill quilt raft rampart ravine reed reef
  rivet rosemary rowan rudder sandal sapling sapphire satchel saucer scarf schooner sextant shelf shore signpost
  skiff skylight sleigh sloop snowdrop sofa spindle spire spruce steeple stencil stream summit sundial tapestry
  teacup teapot terrace thicket thimble thistle thyme tiller trellis trestle trombone trowel tulip tundra tunic
  turret twig ukulele vase veranda verbena viaduct vine viola vista wharf whistle willow windmill woodland
  wreath yarrow zephyr zinnia zither`.split(/\s+/);

/** RFC 4648 §5. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const BITS = 6;
/** Two bytes take two characters and four bits of a third one. */
const SPARE_BITS = 2;

/** How many characters of an id determine its name; the last one only in part. */
export const NAMED_LENGTH = 3;

/** For example `amber lantern`. Several cases may share a name: it is not an id. */
export function nameCase(id: string): string {
  let bits = 0;
  for (const character of id.slice(0, NAMED_LENGTH)) bits = (bits << BITS) | ALPHABET.indexOf(character);
  const number = bits >> SPARE_BITS;
  return `${CASE_ADJECTIVES[number >> 8]} ${CASE_NOUNS[number & 0xff]}`;
}

/** The first characters of all ids with this name, `amber lantern` or `amber-lantern`; none if it is not a name. */
export function listNamedBeginnings(name: string): string[] {
  const [adjective, noun, ...rest] = name
    .trim()
    .toLowerCase()
    .split(/[\s-]+/);
  const high = CASE_ADJECTIVES.indexOf(adjective ?? '');
  const low = CASE_NOUNS.indexOf(noun ?? '');
  if (high < 0 || low < 0 || rest.length > 0) return [];
  const number = ((high << 8) | low) << SPARE_BITS;
  return Array.from({ length: 1 << SPARE_BITS }, (_, spare) => encodeNumber(number | spare));
}

function encodeNumber(number: number): string {
  const places = [2 * BITS, BITS, 0];
  return places.map((shift) => ALPHABET[(number >> shift) & (ALPHABET.length - 1)]).join('');
}
