use actors::flows::MarkdownOptions;
use utoipa::IntoParams;

use crate::error::ApiResult;
use crate::params::{FromParams, Params};

/// What of the page becomes Markdown.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ContentParams {
    /// Whether links stay links; else their text alone stays.
    #[param(value_type = Option<bool>, default = true)]
    pub include_links: bool,
    /// Whether images stay.
    #[param(value_type = Option<bool>, default = true)]
    pub include_images: bool,
    /// Whether only the primary content is kept: no navigation, header, footer,
    /// advertisement or cookie banner.
    #[param(value_type = Option<bool>, default = true)]
    pub main_content_only: bool,
}

impl FromParams for ContentParams {
    fn from_params(params: &Params) -> ApiResult<Self> {
        Ok(Self {
            include_links: params.boolean("include_links", true)?,
            include_images: params.boolean("include_images", true)?,
            main_content_only: params.boolean("main_content_only", true)?,
        })
    }
}

impl ContentParams {
    /// The options for the flow.
    pub fn options(&self) -> MarkdownOptions {
        MarkdownOptions {
            include_links: self.include_links,
            include_images: self.include_images,
            main_content_only: self.main_content_only,
        }
    }
}
