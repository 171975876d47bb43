import { expect, test } from 'vitest'
import { categoryKey } from './categories.ts'

test.each([
  ['CELL_PHONES', 'Cell Phones & Accessories'],
  ['CELL_PHONES', 'Mobile Phones & Communication'],
  ['CELL_PHONES', 'Handys & Kommunikation'],
  ['CELL_PHONES', 'Téléphonie, mobilité'],
  ['CELL_PHONES', 'Telefonia fissa e mobile'],
  ['CELL_PHONES', 'Móviles y telefonía'],
  ['CELL_PHONES', 'Telefonie en communicatie'],
  ['VIDEO_GAMES', 'Video Games & Consoles'],
  ['VIDEO_GAMES', 'PC- & Videospiele'],
  ['VIDEO_GAMES', 'Jeux vidéo, consoles'],
  ['VIDEO_GAMES', 'Videogiochi e console'],
  ['VIDEO_GAMES', 'Consolas y videojuegos'],
  ['COMPUTERS_TABLETS', 'Computers/Tablets & Networking'],
  ['COMPUTERS_TABLETS', 'Computer, Tablets & Netzwerk'],
  ['COMPUTERS_TABLETS', 'Informatique, réseaux'],
  ['COMPUTERS_TABLETS', 'Informatica'],
  ['COMPUTERS_TABLETS', 'Informática y tablets'],
  ['ELECTRONICS', 'Consumer Electronics'],
  ['ELECTRONICS', 'TV, Video & Audio'],
  ['ELECTRONICS', 'Image, son'],
  ['ELECTRONICS', 'TV, audio e video'],
  ['ELECTRONICS', 'Imagen y sonido'],
  ['ELECTRONICS', 'Audio, tv en elektronica'],
  [undefined, 'Sporting Goods'],
  [undefined, 'Musikinstrumente'],
])('%s has the category "%s"', (key, name) => {
  expect(categoryKey(name)).toBe(key)
})
