use actors::key_ring::Plan;
use blazon::startup::Ended;
use tokio::time::{Duration, sleep};

use crate::helpers::TestApp;

#[actix_web::test]
async fn what_is_in_flight_is_finished_before_the_end() {
    let mut app = TestApp::start().await;
    let user = app.key(Plan::Pro, 10).await;
    let url = app.url("/v1/web/scrape/html?url=http://site.test/slow&javascript=false");
    let in_flight = actix_web::rt::spawn(
        actors::egress::operator_client("test").expect("a client").get(url).bearer_auth(&user.key).send(),
    );
    sleep(Duration::from_millis(200)).await;
    assert_eq!(app.stop().await, Ended::Asked);
    let answer = in_flight.await.expect("no panic").expect("answered before the end");
    assert_eq!(answer.status().as_u16(), 200);
}
