/** A part of a document that is searched by itself. */
export type Chunk = {
  /** The headings above its start, outermost first, including its own. */
  headings: string[]
  text: string
}

/** Sizes in characters (UTF-16 units). */
export const chunkSizes = {
  /** Maximum size. About 300 tokens: small models read 256 to 512. */
  max: 1_200,
  /** A heading starts a new chunk once the current one has this size, which bounds the number of chunks of a document. */
  min: 300,
  /** Size of the overlap where a section is split, so that sentences stay in context. */
  overlap: 150,
}

type Block = { headings: string[]; text: string; isHeading: boolean }

const headingPattern = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/
const fencePattern = /^ {0,3}(`{3,}|~{3,})/

/** Headings and paragraphs in order; a fenced block is one paragraph, whatever it contains. CommonMark 0.31, 4.2 and 4.5. */
const blocksOf = (text: string): Block[] => {
  const blocks: Block[] = []
  const path: string[] = []
  let paragraph: string[] = []
  let fence: string | undefined
  const end = () => {
    const joined = paragraph.join('\n').trimEnd()
    if (joined.trim() !== '')
      blocks.push({ headings: path.filter((part) => part !== ''), text: joined, isHeading: false })
    paragraph = []
  }
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, mark] = fencePattern.exec(line) ?? []
    if (fence !== undefined) {
      paragraph.push(line)
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined
      continue
    }
    const [, level, title = ''] = headingPattern.exec(line) ?? []
    if (level !== undefined) {
      end()
      path.splice(level.length - 1)
      while (path.length < level.length - 1) path.push('')
      path.push(title)
      blocks.push({ headings: path.filter((part) => part !== ''), text: line.trim(), isHeading: true })
    } else if (line.trim() === '') end()
    else {
      fence = mark
      paragraph.push(line)
    }
  }
  end()
  return blocks
}

/** Where to split a text of more than `max` characters: after a line, a sentence, a word, or anywhere. */
const cutBefore = (text: string, max: number): number => {
  const start = text.slice(0, max)
  const half = max / 2
  const ends = [
    start.lastIndexOf('\n') + 1,
    Math.max(...['. ', '! ', '? '].map((end) => start.lastIndexOf(end) + 2)),
    start.lastIndexOf(' ') + 1,
  ]
  const good = ends.find((end) => end > half)
  if (good !== undefined) return good
  // Never within a surrogate pair.
  return /[\ud800-\udbff]$/.test(start) ? max - 1 : max
}

/** The last `max` characters of a text, from the start of a word. */
const tailOf = (text: string, max: number): string => {
  if (text.length <= max) return text
  const tail = text.slice(-max)
  const word = tail.search(/\s/)
  return word === -1 ? '' : tail.slice(word + 1)
}

const pieces = (text: string): string[] => {
  const cut: string[] = []
  let rest = text
  while (rest.length > chunkSizes.max) {
    const at = cutBefore(rest, chunkSizes.max)
    cut.push(rest.slice(0, at).trimEnd())
    rest = `${tailOf(rest.slice(0, at), chunkSizes.overlap)}${rest.slice(at)}`
  }
  cut.push(rest)
  return cut
}

/** Splits a document, Markdown or plain text: at headings, else between paragraphs, else between sentences. */
export const chunksOf = (document: string): Chunk[] => {
  const chunks: Chunk[] = []
  let headings: string[] = []
  let parts: string[] = []
  let length = 0
  const end = () => {
    if (parts.length > 0) chunks.push({ headings, text: parts.join('\n\n') })
    parts = []
    length = 0
  }
  const add = (block: Block, text: string) => {
    if (parts.length === 0) headings = block.headings
    parts.push(text)
    length += text.length + 2
  }
  for (const block of blocksOf(document)) {
    if (block.isHeading && length >= chunkSizes.min) end()
    for (const piece of pieces(block.text)) {
      if (length > 0 && length + piece.length > chunkSizes.max) {
        const tail = tailOf(parts.at(-1) ?? '', chunkSizes.overlap)
        end()
        if (
          !block.isHeading &&
          tail !== '' &&
          tail.length + piece.length + 2 <= chunkSizes.max &&
          !piece.startsWith(tail)
        )
          add(block, tail)
      }
      add(block, piece)
    }
  }
  end()
  return chunks
}
