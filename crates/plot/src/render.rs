//! The border to usvg and resvg: text to outlines, picture to pixels.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia;
use resvg::usvg::{self, fontdb};

use crate::error::PlotError;

/// The embedded font, `DejaVu` Sans; its licence lies beside it.
pub(crate) const FONT: &[u8] = include_bytes!("../fonts/DejaVuSans.ttf");

/// Its family name, as the font file itself says.
pub(crate) const FONT_FAMILY: &str = "DejaVu Sans";

/// Pixels of the PNG per pixel of the figure.
const PNG_SCALE: u16 = 2;

static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(FONT.to_vec());
    Arc::new(fonts)
});

/// A drawing whose texts are outlines.
#[derive(Debug)]
pub(crate) struct Rendering(usvg::Tree);

impl Rendering {
    pub(crate) fn new(drawing: &str) -> Result<Self, PlotError> {
        let options = usvg::Options {
            font_family: FONT_FAMILY.to_owned(),
            fontdb: Arc::clone(&FONTS),
            // Mitres of a jagged curve would stick out of it.
            style_sheet: Some("polyline { stroke-linejoin: round }".to_owned()),
            ..usvg::Options::default()
        };
        usvg::Tree::from_str(drawing, &options)
            .map(Self)
            .map_err(|error| PlotError::Render {
                message: error.to_string(),
            })
    }

    /// The SVG, with `title` as its accessible name.
    pub(crate) fn svg(&self, title: &str) -> String {
        let options = usvg::WriteOptions {
            // A unit of the drawing is a tenth of a pixel.
            coordinates_precision: 1,
            indent: usvg::Indent::None,
            ..usvg::WriteOptions::default()
        };
        let size = self.0.size().to_int_size();
        // With a view box the picture can be shown at any size.
        let view_box = format!("<svg viewBox=\"0 0 {} {}\"", size.width(), size.height());
        let svg = self.0.to_string(&options).replacen("<svg", &view_box, 1);
        if title.is_empty() {
            return svg;
        }
        let title = title
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        let title = format!("><title>{title}</title>");
        svg.replacen('>', &title, 1)
    }

    /// The PNG.
    pub(crate) fn png(&self) -> Result<Vec<u8>, PlotError> {
        let scale = f32::from(PNG_SCALE);
        let size = self.0.size().to_int_size();
        let factor = u32::from(PNG_SCALE);
        let message = || format!("no memory for {} x {} pixels", size.width(), size.height());
        let mut pixels = tiny_skia::Pixmap::new(size.width() * factor, size.height() * factor)
            .ok_or_else(|| PlotError::Render { message: message() })?;
        let transform = tiny_skia::Transform::from_scale(scale, scale);
        resvg::render(&self.0, transform, &mut pixels.as_mut());
        pixels.encode_png().map_err(|error| PlotError::Render {
            message: error.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn font_file_carries_the_family_name() {
        let face = FONTS.faces().next().expect("one face was loaded");
        assert_eq!(face.families[0].0, FONT_FAMILY);
    }

    #[test]
    fn broken_drawing_is_refused() {
        assert!(matches!(
            Rendering::new("<svg"),
            Err(PlotError::Render { .. })
        ));
    }
}
