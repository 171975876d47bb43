/** A piece of a document that can be found by itself. */
export type Chunk = {
  /** Above its beginning, outermost first; its own among them where it begins with one. */
  headings: string[]
  text: string
}

/** Sizes in characters (UTF-16 units). */
export const chunkSizes = {
  /** A chunk ends before what would take it past this. About 300 tokens: small models see 256 to 512. */
  max: 1_200,
  /** A heading begins a new chunk once the one before it has so much; this bounds how many chunks a document can have. */
  min: 300,
  /** So much of its end is repeated in the next one where a section is cut, so that no sentence is torn from its context. */
  overlap: 150,
}

type Block = { headings: string[]; text: string; isHeading: boolean }

const headingPattern = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/
const fencePattern = /^ {0,3}(`{3,}|~{3,})/

/** Headings and paragraphs in order; what a fence encloses is one paragraph, whatever is in it. CommonMark 0.31, 4.2 and 4.5. */
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

/** Where a text that must be cut is best cut, at most so far: after a line, a sentence, a word, or anywhere. */
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
  // Never between the halves of a character.
  return /[\ud800-\udbff]$/.test(start) ? max - 1 : max
}

/** The end of a text from a word's beginning on, of at most so many characters. */
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

/** A document, Markdown or plain text, in chunks: cut at headings, else between paragraphs, else between sentences. */
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
