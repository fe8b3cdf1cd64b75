use serde::Deserialize;
use serde_json::{Map, Value};

use super::parse;
use super::reader::{Read, Reader};
use super::variable::Variable;

const PLANS_FILE: Variable = Variable::optional(
    "PLANS_FILE",
    "the limits below",
    "./plans.json",
    "JSON file that replaces single limits of single plans.",
);

pub(super) const VARIABLES: &[Variable] = &[PLANS_FILE];

/// What each plan allows and grants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlansSettings {
    pub free: PlanLimits,
    pub starter: PlanLimits,
    pub pro: PlanLimits,
    pub enterprise: PlanLimits,
}

/// What one plan allows and grants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanLimits {
    /// Requests in any 60 seconds, per key.
    pub per_minute: u32,
    /// Requests in any 24 hours, per key.
    pub per_day: u32,
    /// Crawls that run at the same time, per account.
    pub concurrent_crawls: u32,
    /// Credits granted per month; 0 on enterprise, where accounts differ.
    pub monthly_credits: i64,
    /// Whether credits left at a month's end stay within the paid period.
    pub rollover: bool,
}

impl PlanLimits {
    const fn new(per_minute: u32, per_day: u32, concurrent_crawls: u32, monthly_credits: i64) -> Self {
        Self { per_minute, per_day, concurrent_crawls, monthly_credits, rollover: false }
    }
}

impl Default for PlansSettings {
    fn default() -> Self {
        Self {
            free: PlanLimits::new(20, 1_000, 1, 0),
            starter: PlanLimits::new(60, 10_000, 3, 5_000),
            pro: PlanLimits::new(200, 100_000, 10, 50_000),
            enterprise: PlanLimits::new(1_000, 1_000_000, 50, 0),
        }
    }
}

impl PlansSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Read<Self> {
        let plans = reader.optional(&PLANS_FILE, |path| {
            let path = parse::readable_file(path)?;
            let text = std::fs::read_to_string(path).map_err(|error| format!("cannot be read ({error})"))?;
            Self::default().overridden(&text)
        })?;
        Ok(plans.unwrap_or_default())
    }

    /// Returns the plans in the order of their price, by name.
    pub fn by_name(&self) -> [(&'static str, &PlanLimits); 4] {
        [("free", &self.free), ("starter", &self.starter), ("pro", &self.pro), ("enterprise", &self.enterprise)]
    }

    /// Returns these plans with what the JSON `text` says of single ones; the
    /// error lists every plan that is wrong.
    fn overridden(mut self, text: &str) -> Result<Self, String> {
        let plans: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| format!("is not a JSON object of plans ({error})"))?;
        let results = plans.into_iter().map(|(name, changes)| self.change(&name, changes));
        let problems: Vec<_> = results.filter_map(Result::err).collect();
        if problems.is_empty() { Ok(self) } else { Err(format!("is not valid ({})", problems.join("; "))) }
    }

    fn change(&mut self, name: &str, changes: Value) -> Result<(), String> {
        let limits = match name {
            "free" => &mut self.free,
            "starter" => &mut self.starter,
            "pro" => &mut self.pro,
            "enterprise" => &mut self.enterprise,
            _ => return Err(format!("{name:?} is not one of free, starter, pro, enterprise")),
        };
        let changes: PlanChanges = serde_json::from_value(changes).map_err(|error| format!("{name}: {error}"))?;
        changes.apply(limits).map_err(|problem| format!("{name}: {problem}"))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanChanges {
    per_minute: Option<u32>,
    per_day: Option<u32>,
    concurrent_crawls: Option<u32>,
    monthly_credits: Option<i64>,
    rollover: Option<bool>,
}

impl PlanChanges {
    /// A limit of 0 would lock everybody out, or let crawls wait for ever.
    fn apply(self, limits: &mut PlanLimits) -> Result<(), String> {
        let positive = [
            ("per_minute", self.per_minute, &mut limits.per_minute),
            ("per_day", self.per_day, &mut limits.per_day),
            ("concurrent_crawls", self.concurrent_crawls, &mut limits.concurrent_crawls),
        ];
        for (name, change, limit) in positive {
            match change {
                Some(0) => return Err(format!("{name} is 0, the least is 1")),
                Some(value) => *limit = value,
                None => {}
            }
        }
        match self.monthly_credits {
            Some(credits) if credits < 0 => return Err("monthly_credits is negative".to_owned()),
            Some(credits) => limits.monthly_credits = credits,
            None => {}
        }
        limits.rollover = self.rollover.unwrap_or(limits.rollover);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        PlansSettings::default().overridden(text).expect_err("the file is wrong")
    }

    #[test]
    fn a_file_replaces_only_what_it_names() {
        let text = r#"{"pro": {"per_minute": 300, "rollover": true}, "enterprise": {"monthly_credits": 1000000}}"#;
        let plans = PlansSettings::default().overridden(text).expect("the file is valid");
        let mut expected = PlansSettings::default();
        expected.pro.per_minute = 300;
        expected.pro.rollover = true;
        expected.enterprise.monthly_credits = 1_000_000;
        assert_eq!(plans, expected);
    }

    #[test]
    fn an_unknown_field_and_an_unknown_plan_are_refused_by_name() {
        let text = problem(r#"{"pro": {"per_hour": 3}, "gold": {}}"#);
        assert!(text.contains("pro: unknown field `per_hour`"), "{text}");
        assert!(text.contains(r#""gold" is not one of free, starter, pro, enterprise"#), "{text}");
    }

    #[test]
    fn values_that_no_plan_can_have_are_refused() {
        assert!(problem(r#"{"free": {"per_minute": 0}}"#).contains("free: per_minute is 0"));
        assert!(problem(r#"{"free": {"per_day": -1}}"#).contains("free: invalid value"));
        assert!(problem(r#"{"free": {"monthly_credits": -1}}"#).contains("monthly_credits is negative"));
        assert!(problem(r#"{"free": 20}"#).contains("free: invalid type"));
        assert!(problem("[]").contains("is not a JSON object of plans"));
        assert!(problem("{").contains("is not a JSON object of plans"));
    }
}
