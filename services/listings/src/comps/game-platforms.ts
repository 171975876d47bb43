import { wholeWords } from '../whole-words.ts'
import { plainText } from './title-atoms.ts'

/** Platforms of games. A title such as "Pokemon Gold Game Boy Color" has every word of a query for the platform, but offers a game. */
const platforms =
  'game ?boy(?: (?:colou?r|advance(?: sp)?|pocket|micro|light))?|gbc|gba(?: sp)?|nes|snes|super nintendo|super nes|nintendo (?:64|ds(?: lite|i)?|2ds(?: xl)?|3ds(?: xl)?|wii(?: ?u)?|switch(?: (?:2|oled|lite))?)|n64|2ds(?: xl)?|3ds(?: xl)?|dsi|game ?cube|wii(?: ?u)?|play ?station(?: ?(?:[1-5]|vita|portable))?|ps ?[1-5]|psp|ps ?vita|xbox(?: (?:one(?: [xs])?|360|series [xs]))?|sega (?:genesis|saturn|mega ?drive|game ?gear|master system|cd)|mega ?drive|dreamcast|game ?gear|atari (?:2600|5200|7800|lynx|jaguar)|neo ?geo(?: pocket(?: colou?r)?)?|turbo ?grafx|wonder ?swan(?: colou?r)?'

/** Words for the device itself: what else a title with one of them names is a variant of it, or comes with it. */
const deviceNouns = 'consoles?|konsolen?|consolas?|systems?|handhelds?|editions?|bundles?|units?'
/** Words for states and parts of a device. */
const deviceStates =
  'refurbished|restored|serviced|recapped|reshelled|modded|modified|chipped|unlocked|hacked|jailbroken|backlit|ips|screen|lens|shell'

/** Words that describe a device or a game equally: makers, colours, conditions, regions, praise. Words with digits do, too. No accents. */
const describingWords =
  'nintendo|sony|microsoft|sega|atari|snk|nec|bandai|black|white|red|blue|green|yellow|purple|pink|grey|gray|gold|silver|teal|grape|berry|kiwi|dandelion|neon|coral|turquoise|indigo|clear|transparent|translucent|atomic|midnight|cosmic|dark|light|ice|lime|orange|schwarz|weiss|rot|blau|gelb|noir|blanc|rouge|bleu|nero|rosso|blu|negro|blanco|rojo|azul|amazing|beautiful|lovely|pristine|stunning|cheap|wow|look|fast|shipping|vgc|fully|limited|special|new|neu|neuf|nuovo|nuevo|used|gebraucht|boxed|box|ovp|sealed|mint|near|condition|good|very|great|excellent|nice|clean|rare|vintage|retro|original|oem|authentic|genuine|official|tested|working|works|complete|cib|loose|only|pal|ntsc|us|usa|uk|eu|jp|japan|japanese|import|version|model|region|free|the|a|an|in|for|and|of|with|mit|fur|pour|per|para|digital|disc|slim|pro|video'

const gameNouns = 'game|cart|cartridge|rom|jeu|spiel|gioco|juego'

const platform = new RegExp(wholeWords(platforms), 'giu')
const device = new RegExp(wholeWords(`${deviceNouns}|${deviceStates}`), 'iu')
const everyDeviceNoun = new RegExp(wholeWords(deviceNouns), 'giu')
const describing = new RegExp(`^(?:${describingWords}|${gameNouns})$`, 'u')
const gameNoun = new RegExp(wholeWords(gameNouns), 'iu')
/** Before a game that comes with a device. */
const inclusion = new RegExp(
  `[+&]|${wholeWords('with|w|incl|includes|including|and|plus|mit|inkl|und|avec|et|con|e|y')}`,
  'iu',
)

const words = (text: string): readonly string[] => text.match(/[\p{L}\p{N}]+/gu) ?? []
const namesThing = (text: string): boolean => words(text).some((word) => !/\d/.test(word) && !describing.test(word))

/** Whether a query is for a platform as such: it names one, and nothing else but what describes it. */
export const isPlatformQuery = (query: string): boolean => {
  const text = plainText(query)
  const rest = text.replace(platform, ' ')
  return rest !== text && !gameNoun.test(rest) && !namesThing(rest.replace(everyDeviceNoun, ' '))
}

/**
 * Whether a title offers a game for a platform: it ends with the platform after words that describe no device ("Elden Ring PS5"), or calls itself a game.
 * What follows the platform may as well describe a device, so "Game Boy Color Pokemon" is not recognised.
 */
export const offersGame = (title: string): boolean => {
  const text = plainText(title)
  const last = [...text.matchAll(platform)].at(-1)
  if (last === undefined) return false
  const outside = text.replace(platform, ' ')
  if (device.test(outside)) return false
  const noun = gameNoun.exec(outside)
  if (noun !== null) return !inclusion.test(outside.slice(0, noun.index))
  const after = text.slice(last.index + last[0].length)
  return !namesThing(after) && namesThing(text.slice(0, last.index).replace(platform, ' '))
}
